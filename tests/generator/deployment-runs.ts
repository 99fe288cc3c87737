import { setImmediate } from 'node:timers/promises';
import { judgeThrough, type Sender } from '../../src/engine/ask.js';
import { isOpen } from '../../src/engine/outcomes.js';
import { type Check, planOf } from '../../src/engine/plan.js';
import type { Deployment } from '../../src/rules/rule.js';
import { type Attempt, type Exchange, exchangeId, type Probe } from '../../src/wire/types.js';
import { exercises, plans, workouts } from './deployment-requests.js';
import { brokenClause, type DeploymentSpec, deploymentSpec, twinsOf } from './deployment-spec.js';
import { deploymentOf, type GeneratedDeployment } from './deployments.js';
import type { Label } from './judged.js';
import { contractWith, deployment as generatedDeployment, operationAt, responseOf } from './world.js';
import { type OutcomeOfCheck, wrongIn } from './wrong-outcomes.js';

/** Judges generated deployments by every rule of the plan, in memory. */

const deployment: Deployment = { ...generatedDeployment, httpBaseUrl: 'http://api.example' };

const operations = [operationAt(workouts, false), operationAt(plans, false), operationAt(exercises, true)];
const clauses = ['HTTPS-2', 'PATH-1', 'PATH-2', 'PATH-3', 'AUTH-1', 'AUTH-2', 'AUTH-3', 'AUTH-4'];

const contract = contractWith(operations, clauses);

const checks: readonly Check[] = planOf(contract, deployment).checks.filter(({ excluded }) => excluded === undefined);

const attemptOf = (answer: GeneratedDeployment, probe: Probe): Attempt => {
  const seen = answer(probe);
  // A silent port is waited for.
  if (seen.error !== undefined) return { error: { code: seen.error, message: seen.error }, timing: { total: 10_000 } };
  return { response: responseOf(seen, probe.target), timing: { total: 1 } };
};

export interface JudgedDeployment {
  readonly label: Label;
  /** The outcome is wrong: a clause that is kept failed, or the broken one passed. */
  readonly wrong?: string;
  /** Not everything that is needed for a verdict was judged. */
  readonly isUnclear: boolean;
}

export const judgeDeployment = async (spec: DeploymentSpec): Promise<JudgedDeployment> => {
  const answer = deploymentOf(spec);
  const exchanges = new Map<string, Exchange>();
  const sender: Sender = {
    get: (id) => exchanges.get(id),
    send: async (series) => {
      for (const probe of series.flat()) {
        const { method, origin, target, headers } = probe;
        const id = exchangeId(probe);
        exchanges.set(id, {
          id,
          probe,
          connection: { reused: true, protocol: 'http/1.1' },
          request: { method, url: `${origin}${target}`, headers },
          attempts: [attemptOf(answer, probe)],
        });
      }
    },
  };
  const judged: OutcomeOfCheck[] = [];
  for (const check of checks)
    judged.push({ id: check.id, clauses: check.clauses, ...(await judgeThrough((ask) => check.judge(ask), sender)) });
  const label = labelOf(
    spec,
    [...exchanges.values()].map(({ probe }) => probe),
  );
  const broken = brokenClause(spec);
  const isUnclear = judged.some(({ outcome }) => isOpen(outcome));
  const wrong = label === 'undecidable' ? undefined : wrongIn(judged, broken);
  return { label, isUnclear, ...(wrong === undefined ? {} : { wrong: `${wrong}\n${JSON.stringify(spec)}` }) };
};

/** Undecidable: a twin gives the same answer to everything that was sent. */
const labelOf = (spec: DeploymentSpec, sent: readonly Probe[]): Label => {
  const answers = (one: DeploymentSpec): string => JSON.stringify(sent.map(deploymentOf(one)));
  if (twinsOf(spec).some((twin) => answers(twin) === answers(spec))) return 'undecidable';
  return brokenClause(spec) === undefined ? 'conforming' : 'faulty';
};

export interface DeploymentTally {
  readonly counts: Record<Label, number>;
  /** Conforming ones with a good key that were not judged as a whole. */
  unclear: number;
  readonly wrong: string[];
}

/** Judges deployments one after the other, and counts. */
export const tallyDeployments = async (seed: string, goOn: (count: number) => boolean): Promise<DeploymentTally> => {
  const tally: DeploymentTally = { counts: { conforming: 0, faulty: 0, undecidable: 0 }, unclear: 0, wrong: [] };
  for (let count = 0; goOn(count); count += 1) {
    const spec = deploymentSpec(seed, count);
    const { label, isUnclear, wrong } = await judgeDeployment(spec);
    tally.counts[label] += 1;
    if (label === 'conforming' && isUnclear && spec.takes.length > 0) tally.unclear += 1;
    if (wrong !== undefined) tally.wrong.push(wrong);
    // A process that is always busy would not see that the runner has ended.
    if (count % 20 === 0) await setImmediate();
  }
  return tally;
};
