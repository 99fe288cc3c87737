import { type Answer, type Asked, notFound } from '../selftest/support/document-server.js';
import { type NamedSpec, parametersOf } from './named-spec.js';

/** What generated services do where a request names an account beside the path. */

const nouns =
  /^(?:x-)?(?:user|account|owner|member|customer|client|author|tenant|org|organi[sz]ation|team|company|workspace|on-behalf-of|act-as)(?:[-_]?id|email)?$/;

interface Claim {
  readonly name: string;
  readonly value: string;
}

const claimsIn = ({ query, headers }: Asked): readonly Claim[] =>
  [...query, ...Object.entries(headers)]
    .map(([name, value]) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => nouns.test(name));

export interface NamedAnswers<Who> {
  /** The account of a value, if it is one. */
  readonly accountOf: (value: string) => Who | undefined;
  readonly holder: Who;
  readonly profileOf: (who: Who) => object;
}

/** What a request that names another account gets: that account's rows, or an answer of its own. */
export const asNamed = <Who>(
  spec: NamedSpec,
  asked: Asked,
  at: 'list' | 'item' | 'record',
  { accountOf, holder, profileOf }: NamedAnswers<Who>,
): {
  readonly leaks?: Who;
  readonly answer?: Answer;
  readonly filters?: boolean;
  readonly echoes?: readonly Claim[];
  /** The address of the request, which the answer repeats. */
  readonly link?: string;
} => {
  const { leak, treats } = spec;
  if (decodeURIComponent(asked.query.toString()).length > spec.longest) return { answer: { status: 414 } };
  if (Object.keys(asked.headers).length > spec.mostFields) return { answer: { status: 431 } };
  const known = parametersOf(spec);
  const isDocumented = (name: string): boolean => known.some((one) => one.name.toLowerCase() === name.toLowerCase());
  if (spec.unknown === 'refused' && [...asked.query.keys()].some((name) => !isDocumented(name)))
    return { answer: { status: 400, body: { detail: 'There is no such parameter.' } } };
  for (const { name, schema } of known) {
    const value = asked.query.get(name);
    const { enum: all, format } = (schema ?? {}) as { enum?: readonly string[]; format?: string };
    if (value !== null && ((all && !all.includes(value)) || (format === 'date' && !/^\d{4}-\d\d-\d\d$/.test(value))))
      return { answer: { status: 400, body: { detail: `This is no value of ${name}.` } } };
  }
  const claims = claimsIn(asked);
  const whoIn = (name: string): Who | undefined => {
    const value = claims.find((claim) => claim.name === name)?.value;
    return value === undefined ? undefined : accountOf(value);
  };
  const [by, ...more] = leak?.by ?? [];
  const one = by === undefined ? undefined : whoIn(by);
  if (
    leak &&
    one !== undefined &&
    one !== holder &&
    more.every((name) => whoIn(name) === one) &&
    (leak.at === 'all' || leak.at === at)
  )
    return { leaks: one };
  // A faulty service has no other ways for the names that it reads.
  const others = claims.filter(({ name }) => !leak?.by.includes(name));
  const other = others.map(({ value }) => accountOf(value)).find((who) => who !== undefined && who !== holder);
  if (other === undefined) return {};
  switch (leak ? 'ignored' : treats) {
    case '400':
    case '403':
    case '422':
      return { answer: { status: Number(treats), body: { detail: 'This account is not yours.' } } };
    case '404':
      return { answer: notFound };
    case 'empty':
    case 'filters':
      return { filters: true };
    case 'errorNames':
      return { answer: { status: 200, body: { error: 'not_yours', account: others[0]?.value, ...profileOf(other) } } };
    case 'redirect':
      return { answer: { status: 302, headers: { location: asked.path } } };
    case 'profile':
      return { answer: { status: 200, body: profileOf(other) } };
    case 'echoed':
      return { echoes: others };
    case 'linked':
      return { link: `${asked.path}?${asked.query}` };
    default:
      return {};
  }
};
