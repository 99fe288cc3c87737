import { judgeThrough, type Sender } from '../../src/engine/ask.js';
import { allotAsSeen, sliceChecks } from '../../src/engine/budget/allot-as-seen.js';
import { type Allotment, type Budget, costBeyond, essentialRequests } from '../../src/engine/budget/budget.js';
import { estimatedRequests } from '../../src/engine/budget/request-counts.js';
import { SlicedChecks } from '../../src/engine/budget/sliced-checks.js';
import { essentialTricks } from '../../src/engine/budget/spread-tricks.js';
import { findingOf } from '../../src/engine/findings.js';
import { type Check, type Plan, planOf } from '../../src/engine/plan.js';
import type { Finding } from '../../src/engine/results.js';
import { judgeInStages } from '../../src/engine/stages.js';
import { unjudged } from '../../src/engine/unjudged.js';
import { type Exchange, exchangeId } from '../../src/wire/types.js';
import { deployment, type GatedService } from './gated-services.js';

/** Runs over services in memory: the plan, the slices and the judges of a run, and no socket. */

export interface GatedRun {
  readonly findings: ReadonlyMap<string, Finding>;
  /** Requests that were sent. */
  readonly sent: number;
  readonly sliced: SlicedChecks | undefined;
}

const senderOf = (service: GatedService): { readonly sender: Sender; readonly sent: () => number } => {
  const exchanges = new Map<string, Exchange>();
  return {
    sent: () => exchanges.size,
    sender: {
      get: (id) => exchanges.get(id),
      send: async (series) => {
        for (const probe of series.flat()) {
          const id = exchangeId(probe);
          if (!exchanges.has(id)) exchanges.set(id, service.answer(probe));
        }
      },
    },
  };
};

const planFor = ({ contract }: GatedService, { probes }: Budget): Plan =>
  planOf(contract, { ...deployment, probes: probes === 'standard' ? 'standard' : 'extended' });

/** @param isJudged checks to judge; slices are chosen for all of them */
export const judgeGated = async (
  service: GatedService,
  budget: Budget,
  {
    isJudged = () => true,
    isWhole,
  }: { readonly isJudged?: (check: Check) => boolean; readonly isWhole?: (check: string) => boolean } = {},
): Promise<GatedRun> => {
  const { sender, sent } = senderOf(service);
  const { checks, subjects } = planFor(service, budget);
  const rest = checks.filter(({ stage }) => stage !== 'service');
  const sliced = await sliceChecks({ checks: rest, subjects, budget, isWhole, sender });
  const findings = new Map<string, Finding>();
  await judgeInStages(rest.filter(isJudged), {
    sender,
    judge: async (check) => {
      const unsent = sliced?.unsent(check) ?? (check.excluded === undefined ? undefined : unjudged(check));
      const judgement = unsent ?? (await judgeThrough((ask) => check.judge(ask, sliced?.sliceOf(check)), sender));
      if (judgement.outcome === 'failed') sliced?.noteOpening(check, judgement);
      sliced?.noteBlockers(judgement);
      sliced?.noteBlocked(check, judgement);
      findings.set(check.id, findingOf(check, judgement, 0, sliced?.triedBy(check)));
    },
    passesSoFar: async () => false,
    isFull: () => false,
    isWhole: () => false,
    release: () => undefined,
    isAsked: (check) => sliced?.unsent(check) === undefined,
    between: (check) => sliced?.between(check),
    widen: async () => (sliced?.widen() ?? []).filter(isJudged),
  });
  return { findings, sent: sent(), sliced };
};

export interface Catches {
  /** In the order of the service's faults. */
  readonly caught: readonly boolean[];
  /** Requests that the run plans. */
  readonly requests: number;
}

/**
 * What a budget catches. Only checks that a fault concerns are judged, and of these a few: all
 * others are refused everything. `judgeGated` judges all.
 */
export const catchesOf = async (service: GatedService, budget: Budget): Promise<Catches> => {
  const { sender } = senderOf(service);
  const { checks, subjects } = planFor(service, budget);
  const allotment = await allotAsSeen({ checks, subjects, budget, sender });
  const sliced = allotment && new SlicedChecks(allotment);
  const sending = checks.filter((check) => check.excluded === undefined && !sliced?.unsent(check));
  const byId = new Map(sending.map((check) => [check.id, check]));
  const caught: boolean[] = [];
  for (const { by, operations } of service.faults) {
    const concerned = [...operations]
      .flatMap((id) => byId.get(`${by?.rule ?? 'refuses-missing-key'}@${id}`) ?? [])
      .filter((check) => by === undefined || (sliced?.sliceOf(check)?.has(by.trick) ?? true));
    let isCaught = false;
    for (const check of concerned) {
      // Other faults may hide this one at some of its operations.
      if (isCaught) break;
      const { outcome } = await judgeThrough((ask) => check.judge(ask, sliced?.sliceOf(check)), sender);
      isCaught = outcome === 'failed';
    }
    caught.push(isCaught);
  }
  return { caught, requests: allotment ? requestsOf(allotment, sending) : estimatedRequests(sending).requests };
};

const requestsOf = ({ gates, armed, assigned }: Allotment, sending: readonly Check[]): number => {
  const least = essentialTricks(gates, armed);
  return essentialRequests(sending, least) + costBeyond(least, assigned, armed);
};
