import type { Contract } from '../contract/model.js';
import { asOpened } from '../rules/identities/views.js';
import type { Deployment, KeyHolder } from '../rules/rule.js';
import type { Target } from '../settings/target.js';
import type { ReadValues } from '../wire/read-values.js';
import type { Inspector } from './body-inspector.js';
import { type Plan, type PlanOptions, planOf } from './plan.js';
import type { AnswerReader } from './values/answers.js';
import { findValues } from './values/find.js';
import { withOwnValues } from './values/own-values.js';
import type { RecordedValues } from './values/recording.js';

export interface PlanWithValues {
  /** The contract with the values that were found for its parameters. */
  readonly contract: Contract;
  readonly recorded: RecordedValues | undefined;
  readonly identities: readonly KeyHolder[];
  readonly plan: Plan;
}

/** Plans a run. Path parameters get values from the service's own answers. */
export const planWithValues = async (
  document: Contract,
  {
    deployment,
    target,
    reader,
    values,
    inspector,
    choice,
    signal,
  }: {
    readonly deployment: Deployment;
    readonly target: Pick<Target, 'identities'>;
    readonly reader: AnswerReader;
    readonly values: ReadValues;
    readonly inspector: Inspector | undefined;
    readonly choice: PlanOptions;
    readonly signal: AbortSignal | undefined;
  },
): Promise<PlanWithValues> => {
  const found = await findValues({
    contract: asOpened(document, deployment),
    deployment,
    reader,
    values,
    onOperation: (operation) => inspector?.add(operation),
    choice,
    ...(signal ? { signal } : {}),
  });
  const { contract, recorded } = found;
  const owners = (target.identities ?? []).flatMap(({ name, owns }) =>
    owns === undefined ? [] : [[name, owns] as const],
  );
  const identities = await withOwnValues({
    contract,
    deployment,
    reader,
    values,
    owners: new Map(owners),
    signal,
  });
  reader.forget();
  const { checks, subjects } = planOf(
    contract,
    identities.length > 0 ? { ...deployment, identities } : deployment,
    choice,
  );
  return { contract, recorded, identities, plan: { checks: [...checks, ...found.missed], subjects } };
};
