import { memoize } from '../../collections.js';
import { type Probe, probeIdentity } from '../../wire/types.js';
import { anonymousControls, controlRequests, healthRead, keyedControl } from '../oracle/control-requests.js';
import type { Ask, Deployment, OperationRule, OperationSubject, Procedure, RuleWords, Slice } from '../rule.js';
import { changedParts, chosenBy, type InBattery, trickOf } from '../support/bundles.js';
import { excluded } from '../support/judgement.js';
import { mostAtATime, oncePerSlice } from '../support/once-per-judgement.js';
import { canSendKey } from '../support/subjects.js';
import { targetOf } from '../support/targets.js';
import type { Bypass } from './bypass.js';
import { namesOfOptions } from './documented-options.js';
import { judgeBypasses } from './judge-bypasses.js';
import { readHeadOperation } from './other-methods.js';

/** Requests without the key. None of them may open the operation. */
interface BypassSource {
  readonly bypasses: (subject: OperationSubject) => readonly Bypass[];
  /** More bypasses, made from answers: for example with the cookies that the server set. */
  readonly asAnswered?: (
    ask: Ask,
    subject: OperationSubject,
    isChosen: (trick: string) => boolean,
    others: readonly Bypass[],
  ) => readonly Bypass[];
  /** Sends each bypass right after the request that comes before it (`before`). */
  readonly inSeries?: boolean;
  /** The rule about leftovers of the owner's own requests, such as cached answers. */
  readonly leftovers?: OperationRule;
}

/**
 * The keyed read that follows these bypasses. For a slice it is the second keyed control if all
 * bypasses are controls, or if they are sent between the two keyed controls.
 */
const readAfter = (
  subject: OperationSubject,
  rule: RuleWords,
  { slice, bypasses }: { readonly slice: Slice | undefined; readonly bypasses: readonly Bypass[] },
): Probe => {
  const controls = slice && new Set(anonymousControls(subject).map(probeIdentity));
  return controls && (isBetweenReads(rule, slice) || bypasses.every(({ probe }) => controls.has(probeIdentity(probe))))
    ? keyedControl(subject, 2)
    : healthRead(subject, rule, slice);
};

/** Whether the bypasses of a rule are sent between the two keyed controls. */
export const isBetweenReads = ({ stage }: Pick<OperationRule, 'stage'>, slice: Slice | undefined): boolean =>
  stage === 'bypasses' && slice !== undefined && slice.occasion === undefined && slice.isLate !== true;

/** Replaces runs of letters of one case and of digits: `/api/v2/Rooms` → `/a/a0/Aa`. */
const pathForm = (path: string): string =>
  path
    .replaceAll(/[a-z]+/g, 'a')
    .replaceAll(/[A-Z]+/g, 'A')
    .replaceAll(/[0-9]+/g, '0');

/**
 * A key for caching: equal for operations with the same method, security, form of path, field names
 * and options.
 */
const formKey = memoize((subject: OperationSubject): string => {
  const { method, security, alternatives = [], headers } = subject.operation;
  const schemes = [security, ...alternatives].map((all) => all.map(({ name }) => name));
  const options = namesOfOptions(subject.operation);
  return JSON.stringify([method, schemes, pathForm(targetOf(subject)), headers.map(([name]) => name), options]);
}, mostAtATime);

/** Caches a value for operations with equal security requirements and paths of one form. */
const oncePerForm = <T>(make: (subject: OperationSubject) => T) => {
  const known = memoize((_deployment: Deployment) => new Map<string, T>());
  return (subject: OperationSubject): T => {
    const kind = formKey(subject);
    const own = known(subject.deployment);
    const made = own.get(kind) ?? make(subject);
    own.set(kind, made);
    return made;
  };
};

/**
 * The names of the requests in a battery. Empty if the key cannot be sent, since none of them is
 * sent then.
 */
export const tricksIn = (
  requests: (subject: OperationSubject) => readonly InBattery[],
  asAnswered: readonly string[] = [],
) => {
  const all = oncePerForm((subject) => [...requests(subject).map(trickOf), ...asAnswered]);
  return (subject: OperationSubject): readonly string[] => (canSendKey(subject) ? all(subject) : []);
};

/** The `way` of each bypass that has one, by its name. */
export const waysIn = (bypasses: BypassSource['bypasses']) =>
  oncePerForm(
    (subject): ReadonlyMap<string, string> =>
      new Map(bypasses(subject).flatMap((bypass) => (bypass.way === undefined ? [] : [[trickOf(bypass), bypass.way]]))),
  );

/** The procedure of the AUTH-3 rules: sends every bypass. None may be granted. */
export const noneOpens =
  ({ bypasses, asAnswered = () => [], inSeries, leftovers }: BypassSource) =>
  (rule: RuleWords): Procedure<OperationSubject> => {
    const allOf = memoize(bypasses, mostAtATime);
    const readByHead = (bypass: Bypass): Bypass => ({
      readWith: readHeadOperation,
      ...bypass,
      ...changedParts(bypass, readByHead),
    });
    const bypassesIn = oncePerSlice((subject, ask, slice): readonly Bypass[] => {
      const others = allOf(subject);
      const own = chosenBy(others, slice);
      const isChosen = (trick: string): boolean => slice?.has(trick) ?? true;
      const all = canSendKey(subject) ? [...own, ...chosenBy(asAnswered(ask, subject, isChosen, others), slice)] : own;
      return subject.operation.method === 'HEAD' ? all.map(readByHead) : all;
    });
    return {
      probes: (subject, slice) => {
        if (!canSendKey(subject)) return anonymousControls(subject);
        const own = chosenBy(allOf(subject), slice);
        return [
          ...controlRequests(subject),
          readAfter(subject, rule, { slice, bypasses: own }),
          ...own.flatMap(({ before, probe, together = [probe], baseline = [] }) => [
            ...(before ? [before] : []),
            ...together,
            ...baseline,
          ]),
        ];
      },
      pairs: (subject) =>
        canSendKey(subject)
          ? allOf(subject).flatMap(({ before, probe }): [Probe, Probe][] => (before ? [[before, probe]] : []))
          : [],
      judge: (ask, subject, slice) => {
        const all = bypassesIn(ask, subject, slice);
        if (slice && canSendKey(subject) && all.length === 0)
          return excluded('Nothing was sent: no answer gave what the requests chosen for this operation need.');
        return judgeBypasses(ask, subject, {
          bypasses: all,
          health: readAfter(subject, rule, { slice, bypasses: all }),
          occasion: healthRead(subject, rule, slice).occasion,
          ...(inSeries && { inSeries }),
          ...(leftovers && { leftovers }),
        });
      },
    };
  };

/** How a bypass rule is judged, for its explanation. */
export const judgedAsBypass = [
  'Each answer is compared with what the key opens on the same server, by the table that access-conformance explain AUTH-3 prints: the first line that fits decides. A status alone proves nothing, neither a 200 nor a 401.',
  'Failed: a request was granted, and again on a second try; or two different requests each got a record. The reason names them.',
  'Passed: every request was refused. Any 3xx or 4xx, a login page, an error inside a 200, and a connection that is closed each time are refusals.',
  'Inconclusive: an answer shows neither opening nor refusal. The reason says what it has.',
  'Inconclusive: the key no longer opens the operation afterwards (a ban, an outage), or the request without a key is now refused with another status, as the last of these requests were.',
  'Blocked: the key itself opens nothing, so there is nothing to compare with.',
];
