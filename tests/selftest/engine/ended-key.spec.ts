import { baselineText } from '../../../src/app/prepare.js';
import type { Baseline } from '../../../src/engine/facts.js';
import type { Results } from '../../../src/engine/results.js';
import { driftWords } from '../../../src/report/describe-finding.js';
import { type Answer, judgeDocument, newKey, notFound, things, unauthorized } from '../support/document-server.js';
import { documentOf } from '../support/documents.js';
import type { JudgeOptions } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * How a key that has ended is answered is kept as a fact, and its change is drift. Ids of
 * operations hold `@`.
 */

const names = ['things', 'parts', 'tools', 'boxes'];
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: Object.fromEntries(
    names.map((name) => [
      `/${name}`,
      { get: { operationId: `${name}@v1`, security: [{ key: [] }], responses: { '200': { description: '-' } } } },
    ]),
  ),
});

type Seen = Omit<Results, 'exchanges' | 'exchangesFile'>;

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenThatEnds = (seconds: number): string =>
  [part({ alg: 'HS256' }), part({ exp: Math.floor(Date.now() / 1000) + seconds }), newKey()].join('.');

const expired: Answer = {
  status: 401,
  body: { error: 'expired' },
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
};

const judge = (key: string, ended: Answer, lasts: number, options: JudgeOptions = {}): Promise<Seen> => {
  let opened = 0;
  return judgeDocument(
    document,
    ({ path, headers }): Answer => {
      if (!names.includes(path.slice(1))) return notFound;
      if (headers.authorization !== `Bearer ${key}`) return unauthorized;
      opened += 1;
      return opened > lasts ? ended : { status: 200, body: things };
    },
    { ...options, settings: { API_KEY: key, ...options.settings } },
  ).then(({ results }) => results);
};

const endedKeyIn = ({ facts = [] }: Seen) => facts.find(({ id }) => id.startsWith('ended-key@'));

const baselineOf = (results: Seen): Baseline => ({ ...JSON.parse(baselineText(results)), fails: false });

test(
  'a token whose exp is over: the reads with it show how it is answered, and a change of that is drift',
  inCi,
  async () => {
    const key = tokenThatEnds(-60);
    const first = await judge(key, expired, 0);
    const fact = endedKeyIn(first);
    expect(fact).toMatchObject({
      gap: 'GAP-KEY-LIFE',
      operation: expect.stringContaining('@v1'),
      reads: 2,
      value: { status: 401, mediaType: 'application/json', challenges: ['Bearer'], body: { required: ['error'] } },
    });
    const again = await judge(key, expired, 0);
    expect(baselineText(again)).toBe(baselineText(first));
    const other = await judge(key, { ...expired, status: 403 }, 0, { baseline: baselineOf(first) });
    expect(other.drift?.map(({ id }) => id)).toContain('ended-key@things@v1');
    expect(other.drift?.flatMap((one) => (one.id.startsWith('ended-key') ? [driftWords(one)] : []))).toEqual(
      names.map(() => 'status was 401, is 403'),
    );
  },
);

test(
  'a key that ends in the middle of a run: how it is answered, and nothing new or gone beside it',
  inCi,
  async () => {
    const key = newKey();
    const lasting = await judge(key, unauthorized, Number.POSITIVE_INFINITY);
    expect(endedKeyIn(lasting)).toBeUndefined();
    const ended = await judge(key, unauthorized, 14, { baseline: baselineOf(lasting) });
    expect(endedKeyIn(ended)).toMatchObject({ value: { status: 401, mediaType: 'application/json' }, reads: 1 });
    expect(ended.drift?.filter(({ id }) => id.startsWith('ended-key'))).toEqual([]);
    const later = await judge(key, unauthorized, Number.POSITIVE_INFINITY, { baseline: baselineOf(ended) });
    expect(later.drift?.filter(({ id }) => id.startsWith('ended-key'))).toEqual([]);
  },
);
