import type { Probe } from '../wire/types.js';
import { judgeBattery } from './battery.js';
import type { Trick } from './bypass.js';
import { readHeadOperation } from './head.js';
import { oncePerLook } from './once-per-look.js';
import { anonymousControls, healthRead, keyedControls } from './oracle/controls.js';
import { isArmed } from './probes.js';
import type { Look, OperationSubject, Procedure, RuleWords } from './rule.js';

/** Ways to come without the key, none of which may open the operation. */
interface Bypasses {
  readonly tricks: (subject: OperationSubject) => readonly Trick[];
  /** Tricks that rest on what was answered: a server that sets no cookie is sent none. */
  readonly asAnswered?: (look: Look, subject: OperationSubject) => readonly Trick[];
  /** Whether a connection closed each time counts as a refusal. */
  readonly resetRefuses: boolean;
  /** Every trick right after what comes before it. */
  readonly inTurn?: boolean;
}

const controlProbes = (subject: OperationSubject, rule: RuleWords): readonly Probe[] => [
  ...anonymousControls(subject),
  ...keyedControls(subject),
  healthRead(subject, rule),
];

/** Sends every bypass without the key, and lets none of them be granted. */
export const noneOpens =
  ({ tricks, asAnswered = () => [], resetRefuses, inTurn }: Bypasses) =>
  (rule: RuleWords): Procedure<OperationSubject> => {
    const tricksIn = oncePerLook((subject: OperationSubject, look) => {
      const all = [...tricks(subject), ...(isArmed(subject) ? asAnswered(look, subject) : [])];
      return subject.operation.method === 'HEAD'
        ? all.map((trick) => ({ readWith: readHeadOperation, ...trick }))
        : all;
    });
    return {
      probes: (subject) =>
        isArmed(subject)
          ? [
              ...controlProbes(subject, rule),
              ...tricks(subject).flatMap(({ before, probe, withoutTrick = [] }) => [
                ...(before ? [before] : []),
                probe,
                ...withoutTrick,
              ]),
            ]
          : anonymousControls(subject),
      judge: (look, subject) =>
        judgeBattery(look, subject, {
          tricks: tricksIn(look, subject),
          health: healthRead(subject, rule),
          resetRefuses,
          ...(inTurn === undefined ? {} : { inTurn }),
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
