import { isMap, isScalar, isSeq } from 'yaml';
import { present } from '../collections.js';
import type { Contract, Operation, UnprobedOperation } from '../contract/model.js';
import { ProblemsError } from '../errors.js';
import { didYouMean, nearestName, wildcard } from '../names.js';
import { readYamlFile } from '../settings/yaml-file.js';
import { isUrl } from '../urls.js';
import { isBroken } from './outcomes.js';
import type { Finding } from './results.js';

/** Failures that are accepted and operations that are left out, each with a reason. */

/** A known deviation (`DEVIATIONS`). The check stays failed; the verdict becomes deviating. */
export interface Deviation {
  /** Check id; `*` in the operation matches any characters (`refuses-missing-key@*`). */
  readonly check: string;
  readonly reason: string;
  /** Last day on which it is valid, `YYYY-MM-DD`, UTC. */
  readonly expires?: string;
  readonly link?: string;
  /** `file:line` of the entry. */
  readonly position: string;
}

/**
 * The deviations file is unusable, or one of its entries no longer applies. Has one line with
 * `file:line` for each problem. Exit code 3.
 */
export class DeviationsError extends ProblemsError {
  override readonly name = 'DeviationsError';
}

/** Every check of the plan, selected or not. Entries are validated against it. */
export type Planned = readonly { readonly id: string; readonly clauses: readonly string[] }[];

/** Whether a check id matches an entry; `*` matches any characters. */
export const matchesPattern = (pattern: string, id: string): boolean =>
  pattern.includes('*') ? wildcard(pattern, 's').test(id) : pattern === id;

/** The entry that applies to a check. An exact entry outranks one with a `*`. */
const entryOf = (deviations: readonly Deviation[], id: string): Deviation | undefined =>
  deviations.find(({ check }) => check === id) ?? deviations.find(({ check }) => matchesPattern(check, id));

/** Whether an entry names the check exactly, without a `*`. */
export const isNamed =
  (deviations: readonly Deviation[]) =>
  (id: string): boolean =>
    deviations.some(({ check }) => check === id);

/** Attaches the matching entry to each finding that would make the run non-conformant. */
export const deviate =
  (deviations: readonly Deviation[], { strict }: { readonly strict: boolean }) =>
  (findings: readonly Finding[]): readonly Finding[] =>
    deviations.length === 0
      ? findings
      : findings.map((finding) => {
          const entry = isBroken(finding.outcome, strict) ? entryOf(deviations, finding.id) : undefined;
          if (!entry) return finding;
          const { reason, expires, link } = entry;
          return { ...finding, deviation: present({ reason, expires, link }) };
        });

/**
 * Lists the stale entries, one line each. An entry is stale when all of its checks were judged with
 * their whole battery and none failed: a check that was left out, blocked or inconclusive may still
 * be broken. A lenient finding keeps its entry, since `STRICT` may need it.
 * @param planned ids of every check of the whole plan
 */
export const staleDeviations = (
  deviations: readonly Deviation[],
  planned: readonly string[],
  findings: readonly Finding[],
): readonly string[] => {
  // The unsent tricks of a check may still show it broken.
  const outcomes = new Map(findings.flatMap(({ id, outcome, tried }) => (tried ? [] : [[id, outcome] as const])));
  return deviations.flatMap(({ check, position }) => {
    const own = planned.filter((id) => matchesPattern(check, id));
    const stale = own.every((id) => outcomes.get(id) === 'passed' || outcomes.get(id) === 'observed');
    if (!stale) return [];
    return [
      `${position} the deviation of ${check} is stale: ${own.length === 1 ? 'it passed' : `all ${own.length} checks passed`}; take the entry out`,
    ];
  });
};

type Named = Pick<Operation, 'id' | 'method' | 'path'>;

const namesOperation = (pattern: string, { id, method, path }: Named): boolean =>
  matchesPattern(pattern, id) || matchesPattern(pattern, `${method} ${path}`);

const leftOut = (operation: Named & Pick<Operation, 'access'>, reason: string): UnprobedOperation => {
  const { id, method, path, access } = operation;
  return { id, method, path, access, why: 'left-out', reason };
};

/** Removes the operations for which `reasonOf` returns a reason. */
export const leaveOut = (contract: Contract, reasonOf: (operation: Named) => string | undefined): Contract => {
  const reasons = new Map(
    [...contract.operations, ...contract.unprobed].flatMap((operation) => {
      const reason = reasonOf(operation);
      return reason === undefined ? [] : [[operation.id, leftOut(operation, reason)]];
    }),
  );
  if (reasons.size === 0) return contract;
  return {
    ...contract,
    operations: contract.operations.filter(({ id }) => !reasons.has(id)),
    unprobed: [...contract.unprobed.filter(({ id }) => !reasons.has(id)), ...reasons.values()],
    get schemas() {
      return contract.schemas;
    },
  };
};

/** Reads the DEVIATIONS file. */

/** One entry of the file that `DEVIATIONS` names. */
interface FileEntry extends Omit<Deviation, 'check'> {
  /** `check`: a failed check that is accepted. `leaveOut`: operations that are not judged. */
  readonly member: 'check' | 'leaveOut';
  /** A check id, or an operation; `*` matches any characters. */
  readonly name: string;
}

/** Functions that return what is wrong with a name, by member. Other names are not checked. */
type WrongName = Partial<Record<FileEntry['member'], (name: string) => string | undefined>>;

const members = ['check', 'leaveOut', 'reason', 'expires', 'link'] as const;
type EntryMember = (typeof members)[number];

const day = 24 * 60 * 60 * 1000;

/** The end of a day, UTC; `undefined` if the text is not a date. */
const endOfDay = (text: string): number | undefined => {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // `Date.parse` accepts the 31st of a shorter month as the first of the next one.
  return Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== text ? undefined : start + day;
};

interface EntryContext {
  readonly wrong: WrongName;
  readonly now: Date;
  readonly at: (node: unknown) => string;
  readonly problems: string[];
  /** Position of the first entry of each name. */
  readonly seen: Map<string, string>;
}

const trimmedText = (value: unknown): string | undefined =>
  isScalar(value) && typeof value.value === 'string' && value.value.trim() !== '' ? value.value.trim() : undefined;

/** Reads one entry, and notes everything that is wrong with it. */
const readEntry = (item: unknown, { wrong, now, at, problems, seen }: EntryContext): FileEntry | undefined => {
  const before = problems.length;
  const refuse = (node: unknown, why: string): void => void problems.push(`${at(node)} ${why}`);
  if (!isMap(item)) return void refuse(item, 'an entry is {check or leaveOut, reason, expires?, link?}');
  const nodes = new Map(item.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : '', { key, value }]));
  const keyOf = (name: EntryMember): unknown => nodes.get(name)?.key ?? item;
  /** Members that are there in some form, so that they are not said to be missing. */
  const tried = new Set<string>();
  for (const [name, { key }] of nodes) {
    if (members.some((member) => member === name)) continue;
    const meant = nearestName(name, members);
    if (meant) tried.add(meant);
    refuse(key, `an entry has no member "${name}"${meant ? `; did you mean ${meant}?` : ''}`);
  }
  const given = (name: EntryMember): string | undefined => {
    const value = nodes.get(name)?.value ?? null;
    const text = trimmedText(value);
    const isEmpty = value === null || (isScalar(value) && (value.value === null || value.value === ''));
    if (!isEmpty) tried.add(name);
    if (text === undefined && !isEmpty) refuse(keyOf(name), `${name} must be text`);
    return text;
  };
  const [check, leaveOut, reason, expires, link] = members.map(given);
  const member = check === undefined ? 'leaveOut' : 'check';
  const name = check ?? leaveOut;
  if (!tried.has('check') && !tried.has('leaveOut'))
    refuse(item, 'the entry names no check, and no operation to leave out');
  if (check !== undefined && leaveOut !== undefined)
    refuse(keyOf('leaveOut'), 'an entry has check or leaveOut, and not both');
  const problem = name && wrong[member]?.(name);
  if (problem) refuse(keyOf(member), problem);
  if (!tried.has('reason'))
    refuse(keyOf('reason'), `${name ?? 'the entry'} has no reason: say why it is known and accepted`);
  const end = expires === undefined ? Number.POSITIVE_INFINITY : endOfDay(expires);
  if (end === undefined)
    refuse(keyOf('expires'), `expires must be a day, as 2027-01-31, and is ${JSON.stringify(expires)}`);
  else if (end <= now.getTime()) {
    const of = name === undefined ? '' : ` of ${name}`;
    refuse(keyOf('expires'), `the deviation${of} expired on ${expires}: mend the server, or agree anew`);
  }
  if (link !== undefined && !(/^https?:\/\//i.test(link) && isUrl(link)))
    refuse(keyOf('link'), 'link must be an http or https URL');
  const first = name && seen.get(name);
  if (first) refuse(item, `${name} has an entry already, at ${first}`);
  else if (name) seen.set(name, at(item));
  if (problems.length > before || name === undefined || reason === undefined) return undefined;
  return present({ member, name, reason, expires, link, position: at(item) });
};

/**
 * Reads the entries of a deviations file.
 * @param file absolute path
 * @param options.shown name of the file in messages
 * @throws {DeviationsError} with every problem
 */
const readDeviationsFile = (
  file: string,
  { shown, now, wrong }: { readonly shown: string; readonly now: Date; readonly wrong: WrongName },
): readonly FileEntry[] => {
  const written = readYamlFile(file, shown, 'deviations');
  if (!('contents' in written)) throw new DeviationsError(written);
  const { contents, at } = written;
  const problems: string[] = [];
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isSeq(contents))
    throw new DeviationsError([
      `${at(contents)} the file must be a list of {check or leaveOut, reason, expires?, link?}`,
    ]);
  const context = { wrong, now, at, problems, seen: new Map<string, string>() };
  const entries = contents.items.flatMap((item) => readEntry(item, context) ?? []);
  if (problems.length > 0) throw new DeviationsError(problems);
  return entries;
};

/** Returns what is wrong with the check that an entry names. */
const wrongCheck = (check: string, planned: Planned): string | undefined => {
  const [rule = '', operation] = check.split(/@(.*)/s);
  if (operation === undefined || operation === '')
    return `"${check}" is no check id: write rule@operation, for example ${rule || 'refuses-missing-key'}@*`;
  if (rule.includes('*')) return `"${check}": a * stands for operations alone, so a rule must be named before the @`;
  const meant = planned.filter(({ id }) => matchesPattern(check, id));
  if (meant.length === 0) {
    const ids = planned.map(({ id }) => id);
    return `no check is called ${check}; ${didYouMean(check, ids, 'access-conformance list names every check')}`;
  }
  if (meant.every(({ clauses }) => clauses.length === 0))
    return `${check} observes what the contract leaves open: it cannot fail, so there is nothing to accept`;
  return undefined;
};

/**
 * Reads the accepted checks of a deviations file, and validates them against the plan and the date.
 * @param file absolute path
 * @param options.shown name of the file in messages
 * @throws {DeviationsError} with every problem: unreadable or malformed file, missing reason,
 * expired entry, or a check that is not planned
 */
export const readDeviations = (
  file: string,
  { planned, shown = file, now = new Date() }: { planned: Planned; shown?: string; now?: Date },
): readonly Deviation[] => {
  const wrong = (check: string): string | undefined => wrongCheck(check, planned);
  return readDeviationsFile(file, { shown, now, wrong: { check: wrong } }).flatMap(({ member, name, ...entry }) =>
    member === 'check' ? [{ check: name, ...entry }] : [],
  );
};

/**
 * Removes the operations that a deviations file leaves out.
 * @throws {DeviationsError} also for an entry that names no operation of the document
 */
export const leaveOutByFile = (contract: Contract, file: string, shown: string): Contract => {
  const all: readonly Named[] = [...contract.operations, ...contract.unprobed];
  const wrong = (pattern: string): string | undefined => {
    if (all.some((operation) => namesOperation(pattern, operation))) return undefined;
    const ids = all.map(({ id }) => id);
    return `no operation is called ${pattern}; ${didYouMean(pattern, ids, 'access-conformance plan names every operation')}`;
  };
  const entries = readDeviationsFile(file, { shown, now: new Date(), wrong: { leaveOut: wrong } }).filter(
    ({ member }) => member === 'leaveOut',
  );
  return leaveOut(contract, (operation) => {
    const entry = entries.find(({ name }) => namesOperation(name, operation));
    return entry && `Left out on purpose (${entry.position}): ${entry.reason}`;
  });
};
