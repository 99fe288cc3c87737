import { isMap, isScalar, isSeq } from 'yaml';
import { nearestName } from '../did-you-mean.js';
import { readYamlFile } from '../settings/yaml-file.js';
import { isBroken } from './outcomes.js';
import type { Finding } from './results.js';

/** What somebody knows of and accepts, as `DEVIATIONS` says it: the check stays failed, and the verdict becomes deviating. */
export interface Deviation {
  /** Check id; a `*` in the operation stands for any characters (`refuses-missing-key@*`). */
  readonly check: string;
  readonly reason: string;
  /** Last day on which it holds, `YYYY-MM-DD`, UTC. */
  readonly expires?: string;
  readonly link?: string;
  /** `file:line` of the entry. */
  readonly position: string;
}

/** What entries are compared with: every check of the whole plan, whether selected or not. */
export type Planned = readonly { readonly id: string; readonly clauses: readonly string[] }[];

/** The deviations file cannot be used, or one of its entries no longer fits; a line each, with `file:line`. Exit code 3. */
export class DeviationsError extends Error {
  override readonly name = 'DeviationsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const members = ['check', 'reason', 'expires', 'link'] as const;

const day = 24 * 60 * 60 * 1000;

/** The moment at which a day ends, UTC; `undefined` for what is no day of the calendar. */
const endOf = (text: string): number | undefined => {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // The 31st of a shorter month is read as the first of the next one.
  return Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== text ? undefined : start + day;
};

/** Whether a check id fits an entry: the same text, but for each `*`. */
export const fits = (pattern: string, id: string): boolean => {
  if (!pattern.includes('*')) return pattern === id;
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(id);
};

interface Reading {
  readonly planned: Planned;
  readonly now: Date;
  readonly at: (node: unknown) => string;
  readonly problems: string[];
}

const textOf = (value: unknown): string | undefined =>
  isScalar(value) && typeof value.value === 'string' && value.value.trim() !== '' ? value.value.trim() : undefined;

/** What is wrong with the check that an entry names. */
const wrongCheck = (check: string, planned: Planned): string | undefined => {
  const [rule = '', operation] = check.split(/@(.*)/s);
  if (operation === undefined || operation === '')
    return `"${check}" is no check id: write rule@operation, for example ${rule || 'refuses-missing-key'}@*`;
  if (rule.includes('*')) return `"${check}": a * stands for operations alone, so a rule must be named before the @`;
  const meant = planned.filter(({ id }) => fits(check, id));
  if (meant.length === 0) {
    const near = nearestName(
      check,
      planned.map(({ id }) => ({ name: id })),
    );
    return `no check is called ${check}${near ? `; did you mean ${near}?` : '; access-conformance list names every check'}`;
  }
  if (meant.every(({ clauses }) => clauses.length === 0))
    return `${check} observes what the contract leaves open: it cannot fail, so there is nothing to accept`;
  return undefined;
};

const readEntry = (item: unknown, { planned, now, at, problems }: Reading): Deviation | undefined => {
  const before = problems.length;
  if (!isMap(item)) {
    problems.push(`${at(item)} an entry is {check, reason, expires?, link?}`);
    return undefined;
  }
  const nodes = new Map(item.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', { key, value }]));
  for (const [name, { key }] of nodes) {
    if (members.some((member) => member === name)) continue;
    const meant = nearestName(
      name,
      members.map((member) => ({ name: member })),
    );
    problems.push(`${at(key)} an entry has no member "${name}"${meant ? `; did you mean ${meant}?` : ''}`);
  }
  const given = (name: (typeof members)[number]): string | undefined => {
    const node = nodes.get(name);
    const text = textOf(node?.value);
    const empty =
      node === undefined || (isScalar(node.value) && (node.value.value === null || node.value.value === ''));
    if (text === undefined && !empty) problems.push(`${at(node?.key)} ${name} must be text`);
    return text;
  };
  const [check, reason, expires, link] = members.map(given);
  if (problems.length > before) return undefined;
  if (check === undefined) {
    problems.push(`${at(item)} the entry names no check`);
    return undefined;
  }
  const wrong = wrongCheck(check, planned);
  if (wrong) problems.push(`${at(nodes.get('check')?.key)} ${wrong}`);
  if (reason === undefined)
    problems.push(`${at(nodes.get('reason')?.key ?? item)} ${check} has no reason: say why it is known and accepted`);
  const end = expires === undefined ? undefined : endOf(expires);
  if (expires !== undefined && end === undefined)
    problems.push(
      `${at(nodes.get('expires')?.key)} expires must be a day, as 2027-01-31, and is ${JSON.stringify(expires)}`,
    );
  if (end !== undefined && end <= now.getTime())
    problems.push(
      `${at(nodes.get('expires')?.key)} the deviation of ${check} expired on ${expires}: mend the server, or agree anew`,
    );
  if (link !== undefined && !(/^https?:\/\//i.test(link) && URL.canParse(link)))
    problems.push(`${at(nodes.get('link')?.key)} link must be an http or https URL`);
  if (problems.length > before || reason === undefined) return undefined;
  return { check, reason, ...(expires ? { expires } : {}), ...(link ? { link } : {}), position: at(item) };
};

/**
 * Reads a deviations file, and holds it against the plan and the calendar before anything is sent.
 * @param file absolute path; `shown` is how messages call it
 * @throws {DeviationsError} with every problem: unreadable, malformed, without a reason, expired, or of a check that nobody plans
 */
export const readDeviations = (
  file: string,
  { planned, shown = file, now = new Date() }: { planned: Planned; shown?: string; now?: Date },
): readonly Deviation[] => {
  const written = readYamlFile(file, shown, 'deviations');
  if (!('contents' in written)) throw new DeviationsError(written);
  const { contents, at } = written;
  const problems: string[] = [];
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isSeq(contents))
    throw new DeviationsError([`${at(contents)} the file must be a list of {check, reason, expires?, link?}`]);
  const reading = { planned, now, at, problems };
  const entries = contents.items.flatMap((item) => readEntry(item, reading) ?? []);
  const first = new Map<string, Deviation>();
  for (const entry of entries) {
    const before = first.get(entry.check);
    if (before) problems.push(`${entry.position} ${entry.check} has an entry already, at ${before.position}`);
    else first.set(entry.check, entry);
  }
  if (problems.length > 0) throw new DeviationsError(problems);
  return entries;
};

/** The entry of a check: one that names it outright before one with a `*`. */
const entryOf = (deviations: readonly Deviation[], id: string): Deviation | undefined =>
  deviations.find(({ check }) => check === id) ?? deviations.find(({ check }) => fits(check, id));

/** Attaches its entry to each finding that would make the run non-conformant. Outcomes and reasons stay as they are. */
export const deviate =
  (deviations: readonly Deviation[], { strict }: { readonly strict: boolean }) =>
  (findings: readonly Finding[]): readonly Finding[] =>
    deviations.length === 0
      ? findings
      : findings.map((finding) => {
          const entry = isBroken(finding.outcome, strict) ? entryOf(deviations, finding.id) : undefined;
          if (!entry) return finding;
          const { reason, expires, link } = entry;
          return { ...finding, deviation: { reason, ...(expires ? { expires } : {}), ...(link ? { link } : {}) } };
        });

/**
 * The entries that accept nothing any more, a line each. An entry is stale only when each of its checks was judged: what was left out,
 * blocked or inconclusive may still be broken. A lenient finding keeps its entry, since `STRICT` may ask for it.
 * @param planned ids of every check of the whole plan
 */
export const staleDeviations = (
  deviations: readonly Deviation[],
  planned: readonly string[],
  findings: readonly Finding[],
): readonly string[] => {
  const outcomes = new Map(findings.map(({ id, outcome }) => [id, outcome]));
  return deviations.flatMap(({ check, position }) => {
    const own = planned.filter((id) => fits(check, id));
    const stale = own.every((id) => outcomes.get(id) === 'passed' || outcomes.get(id) === 'observed');
    if (!stale) return [];
    return [
      `${position} the deviation of ${check} is stale: ${own.length === 1 ? 'it passed' : `all ${own.length} checks passed`}; take the entry out`,
    ];
  });
};
