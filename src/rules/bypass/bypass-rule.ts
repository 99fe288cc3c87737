import type { Probe } from '../../wire/types.js';
import { oncePerJudgement } from '../once-per-judgement.js';
import { anonymousControls, healthRead, keyedControls } from '../oracle/control-requests.js';
import { canSendKey } from '../requests.js';
import type { Ask, OperationRule, OperationSubject, Procedure, RuleWords } from '../rule.js';
import type { Bypass } from './bypass.js';
import { readHeadOperation } from './head-request.js';
import { judgeBypasses } from './judge-bypasses.js';

/** Ways to come without the key, none of which may open the operation. */
interface BypassSource {
  readonly bypasses: (subject: OperationSubject) => readonly Bypass[];
  /** Bypasses that depend on what was answered: a server that sets no cookie is sent none. */
  readonly asAnswered?: (ask: Ask, subject: OperationSubject) => readonly Bypass[];
  /** Whether a connection that is closed each time counts as a refusal. Default: true. */
  readonly resetRefuses?: boolean;
  /** Each bypass right after what comes before it. */
  readonly inSeries?: boolean;
  /** The rule of what an owner's requests leave behind. */
  readonly leftovers?: OperationRule;
}

const controlProbes = (subject: OperationSubject, rule: RuleWords): readonly Probe[] => [
  ...anonymousControls(subject),
  ...keyedControls(subject),
  healthRead(subject, rule),
];

/**
 * Shared by the rules of AUTH-3. Sends every bypass without the key; none of them may be granted.
 */
export const noneOpens =
  ({ bypasses, asAnswered = () => [], resetRefuses = true, inSeries, leftovers }: BypassSource) =>
  (rule: RuleWords): Procedure<OperationSubject> => {
    const bypassesIn = oncePerJudgement((subject: OperationSubject, ask) => {
      const all = [...bypasses(subject), ...(canSendKey(subject) ? asAnswered(ask, subject) : [])];
      return subject.operation.method === 'HEAD'
        ? all.map((bypass) => ({ readWith: readHeadOperation, ...bypass }))
        : all;
    });
    return {
      probes: (subject) =>
        canSendKey(subject)
          ? [
              ...controlProbes(subject, rule),
              ...bypasses(subject).flatMap(({ before, probe, baseline = [] }) => [
                ...(before ? [before] : []),
                probe,
                ...baseline,
              ]),
            ]
          : anonymousControls(subject),
      judge: (ask, subject) =>
        judgeBypasses(ask, subject, {
          bypasses: bypassesIn(ask, subject),
          health: healthRead(subject, rule),
          resetRefuses,
          ...(inSeries === undefined ? {} : { inSeries }),
          ...(leftovers ? { leftovers: { rule: leftovers.id, judge: () => leftovers.judge(ask, subject) } } : {}),
        }),
    };
  };

/** How such a rule is judged, for its explanation. */
export const judgedAsBypass = [
  'Each answer is compared with what the key opens on the same server, by the table below: the first line that fits decides. Granted has to be shown by the answer itself, at whatever status; a 2xx alone proves nothing, nor does a 401.',
  'Failed: one of the requests was granted, and again on a second try, or two different ones each gave a record; the reason names the form.',
  'Passed: all were refused: any 3xx or 4xx, a login page, an error inside a 200, a closed connection where that is a refusal.',
  'Inconclusive: an answer shows neither; the reason says what it has.',
  'Blocked: the key itself opens nothing, so there is nothing to compare with. Inconclusive: afterwards the key no longer opened it (a ban, an outage).',
];
