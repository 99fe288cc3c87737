import { groupBy } from '../../collections.js';
import type { Headline } from '../../rules/support/headlines.js';
import type { Cause } from '../../rules/support/judgement.js';
import { counted } from '../../words.js';
import type { Finding, OperationResult } from '../results.js';
import { literalSegments } from '../values/template.js';

/** Groups findings that have the same cause, and words what is common to them. */

/** Operations by id, for their methods and paths. */
export type OperationNames = ReadonlyMap<string, Pick<OperationResult, 'method' | 'path'>>;

export const operationNames = (operations: readonly OperationResult[]): OperationNames =>
  new Map(operations.map((operation) => [operation.id, operation]));

/** `GET /orders`; the id where the document has no such operation. */
export const nameOfOperation = (id: string, names: OperationNames): string => {
  const operation = names.get(id);
  if (operation) return `${operation.method} ${operation.path}`;
  return id === 'service' ? 'The service' : id === 'key-page' ? 'The key page' : id;
};

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(operations?|way)\}/g, (whole, name: string) => values[name] ?? whole);

/** ` below /orders/`, where operations have a path prefix in common. */
const below = (place: string): string =>
  place.length > 2 && place.endsWith('/*') ? ` below ${place.slice(0, -1)}` : '';

/** The headline of one or more findings with the same cause, as a sentence without a full stop. */
export const sentenceOf = (
  { one, many = one }: Headline,
  {
    ids,
    names,
    way = '',
    place = '',
  }: {
    readonly ids: readonly string[];
    readonly names: OperationNames;
    readonly way?: string;
    readonly place?: string | undefined;
  },
): string =>
  ids.length > 1
    ? filled(many, { operations: `${counted(ids.length, 'operation')}${below(place)}`, way })
    : filled(one, { operation: nameOfOperation(ids[0] ?? 'service', names), way });

/** The headline of a finding, such as `GET /orders opens without a key`, else its title. */
export const titleOfFinding = (finding: Finding, names: OperationNames): string => {
  const { headline, cause, operation, title } = finding;
  if (!headline) return title;
  return sentenceOf(headline, { ids: [operation], names, way: cause?.ways?.[0] ?? '' });
};

/** Findings with one cause, and what distinguishes it from similar causes. */
export interface CauseGroup {
  readonly findings: readonly Finding[];
  /** Part of the cause's id: values or a way. */
  readonly trait: string;
  /** The place that identifies the cause: a path prefix, or the first of its operations. */
  readonly place?: string;
  readonly way?: string;
}

/** Groups findings that have the same rule and cause id. */
type Grouping = (findings: readonly Finding[], context: GroupingContext) => readonly CauseGroup[];

export interface GroupingContext {
  readonly names: OperationNames;
  /** Protected operations that refused a request without a key. */
  readonly refusing: ReadonlySet<string>;
  /** Whether the access of any operation was judged. */
  readonly isAnyJudged: boolean;
}

const all: Grouping = (findings) => [{ findings, trait: '' }];

const byValues =
  (chosen: (values: readonly string[]) => readonly string[] = (values) => values): Grouping =>
  (findings) =>
    [...groupBy(findings, ({ cause }) => chosen(cause?.values ?? []).join(' '))].map(([trait, group]) => ({
      findings: group,
      trait,
    }));

/** The ways of a finding. Older files have them among the values. */
export const waysOf = ({ cause }: Finding): readonly string[] => cause?.ways ?? cause?.values ?? [];

/**
 * Groups findings by the requests that show them. The way that most findings share makes the first
 * group, then the way that most of the rest share, and so on.
 */
const byWays: Grouping = (findings) => {
  const groups: CauseGroup[] = [];
  let left = findings;
  while (left.length > 0) {
    const counts = new Map<string, number>();
    for (const finding of left) for (const way of new Set(waysOf(finding))) counts.set(way, (counts.get(way) ?? 0) + 1);
    const [way, most] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0] as const);
    const explained = left.filter((finding) => most === 0 || waysOf(finding).includes(way));
    groups.push({ findings: explained, trait: way, ...(way === '' ? {} : { way }) });
    const known = new Set(explained);
    left = left.filter((finding) => !known.has(finding));
  }
  return groups;
};

/** The operations below a path prefix. */
interface Below {
  /** Number of operations that open. */
  count: number;
  /** The next path segments of those operations. */
  readonly resources: Set<string>;
  /** Distinct paths that open, and distinct paths that refuse. */
  readonly open: Set<string>;
  readonly refusing: Set<string>;
}

/** Every prefix of a path, shortest first, ending with the path itself. */
const prefixesOf = (path: readonly string[]): readonly string[] =>
  ['', ...path].map((_, length) => path.slice(0, length).join('/'));

/** A prefix counts as unguarded only if at least this many paths open for each one that refuses. */
const openForOneThatRefuses = 4;

/**
 * Groups findings by the path prefix that lacks an access check. A prefix with several resources,
 * of which none or few refuse, is one cause. Any other operation that opens is a cause of its own:
 * it lacks its own check, or is public although the document says otherwise.
 */
const byPlace: Grouping = (findings, { names, refusing }) => {
  const pathOf = (id: string): readonly string[] => literalSegments(names.get(id)?.path ?? '');
  const places = new Map<string, Below>();
  const belowOf = (prefix: string): Below => {
    const below = places.get(prefix) ?? { count: 0, resources: new Set(), open: new Set(), refusing: new Set() };
    places.set(prefix, below);
    return below;
  };
  for (const path of new Map(findings.map(({ operation }) => [operation, pathOf(operation)])).values())
    for (const [length, prefix] of prefixesOf(path).entries()) {
      const below = belowOf(prefix);
      below.count += 1;
      below.resources.add(path[length] ?? '');
      below.open.add(path.join('/'));
    }
  for (const path of [...refusing].map(pathOf))
    for (const prefix of prefixesOf(path)) belowOf(prefix).refusing.add(path.join('/'));
  const isUnguarded = (prefix: string): boolean => {
    const { count, resources, open, refusing: closed } = belowOf(prefix);
    if (closed.size * openForOneThatRefuses > open.size) return false;
    return resources.size > 1 || (prefix === '' && count > 1);
  };
  const placeOf = ({ operation }: Finding): string => {
    const prefix = prefixesOf(pathOf(operation)).find(isUnguarded);
    return prefix === undefined ? '' : `${prefix && '/'}${prefix}/*`;
  };
  return [...groupBy(findings, placeOf)].map(([place, group]) => ({
    findings: group,
    trait: '',
    place: place || (group[0]?.operation ?? ''),
  }));
};

interface CauseKind {
  readonly grouping: Grouping;
  /** Several rules report this cause. */
  readonly acrossRules?: true;
}

/** How findings of a cause are grouped, where not by all values of the cause. */
const kinds: Readonly<Partial<Record<Cause['id'], CauseKind>>> = {
  'opens-without-key': { grouping: byPlace },
  'leaks-in-refusal': { grouping: byPlace },
  'gives-the-key': { grouping: all },
  'opens-by-now': { grouping: byPlace, acrossRules: true },
  'opens-now-and-then': { grouping: byPlace, acrossRules: true },
  'opens-by-bypass': { grouping: byWays },
  'takes-other-shapes': { grouping: byWays },
  'served-over-plain-http': { grouping: all },
  // Which of the identities were tried at an operation makes no other cause.
  'opens-to-other-scopes': { grouping: byWays },
  'refused-to-holder': { grouping: all },
  'opens-to-peer': { grouping: all },
  'undocumented-body': {
    grouping: byValues(([what = '', line = '', schema, kind]) => [
      kind ?? schema ?? (/^(?:\/|$)/.test(what) ? line : what),
    ]),
  },
  'undocumented-status': { grouping: byValues(([status = '']) => [status]) },
};

/**
 * If no operation was judged and the key opens none, one wrong BASE_URL explains all findings, also
 * those of an assumed path.
 */
const whereNothingIs: Grouping = (findings, context) => {
  const ofAll = findings.find(({ cause }) => cause?.values?.[1] === 'all');
  if (context.isAnyJudged || !ofAll) return byValues()(findings, context);
  return all([ofAll, ...findings.filter((finding) => finding !== ofAll)], context);
};

/** Groupings of findings that could not be judged, across rules. */
const unjudgedGroupings: Readonly<Partial<Record<Cause['id'], Grouping>>> = {
  'unclear-answer': all,
  'body-not-compared': all,
  'changes-between-tries': all,
  'key-no-longer-opens': all,
  'client-refused': all,
  'rate-limit': all,
  'no-answer': all,
  'server-error': all,
  'no-key': byValues(([setting = '']) => [setting]),
  'withheld-without-key': all,
  'answered-like-nothing': whereNothingIs,
  // Whatever parameters lack a value, one file is to be completed.
  'no-path': byValues(([setting = '', status = '']) => [setting, status]),
  'key-refused': byValues(([status = '']) => [status]),
  'control-unusable': byValues(([why = '', value = '']) => (why === 'no-answer' ? [why, value] : [why])),
};

/** Whether findings of a cause are grouped by the requests that show them. */
export const isGroupedByWays = ({ id }: Cause): boolean => kinds[id]?.grouping === byWays;

const causeKindOf = ({ outcome, cause }: Finding): CauseKind =>
  outcome === 'failed' || outcome === 'lenient'
    ? ((cause && kinds[cause.id]) ?? { grouping: byValues() })
    : { grouping: (cause && unjudgedGroupings[cause.id]) ?? byValues(), acrossRules: true };

/**
 * Findings of different families have different causes. A family is a cause id, and the rule unless
 * several rules report the cause.
 */
export const familyOf = (finding: Finding): string => {
  const id = finding.cause?.id ?? finding.id;
  return causeKindOf(finding).acrossRules ? id : `${finding.rule}/${id}`;
};

export const sameCause = (findings: readonly Finding[], context: GroupingContext): readonly CauseGroup[] =>
  findings[0] ? causeKindOf(findings[0]).grouping(findings, context) : [];
