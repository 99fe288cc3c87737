import type { Contract } from '../../contract/model.js';
import { accountPlaceholder } from '../../rules/identities/account-claims.js';
import { asOpened } from '../../rules/identities/identity-views.js';
import type { Deployment, KeyHolder } from '../../rules/rule.js';
import { because } from '../../rules/support/judgement.js';
import type { Target } from '../../settings/target.js';
import type { ReadValues } from '../../wire/read-values.js';
import type { Inspector } from '../body-inspector.js';
import { type Check, type Plan, type PlanOptions, planOf } from '../plan.js';
import { UnprobedCheck } from '../planned-check.js';
import { type HarvestInput, harvest } from './harvest.js';
import type { OperationReader } from './operation-reader.js';
import { withOwnValues } from './own-values.js';
import { plannedContract, type RecordedValues, valuesForOperation, withValues } from './recording.js';
import { isExampled, isWanting } from './sources.js';

/** Finds values for required parameters to which the document gives none. */

interface FoundValues {
  readonly contract: Contract;
  /** Absent where no values were needed. */
  readonly recorded?: RecordedValues;
  /** Selected checks of operations that got no value. */
  readonly missed: readonly Check[];
}

/** Finds values for the parameters of selected operations. Sends nothing if none is missing. */
const findValues = async (
  input: Omit<HarvestInput, 'wanted'> & { readonly choice: PlanOptions },
): Promise<FoundValues> => {
  const { contract, deployment, choice } = input;
  const isFilled = contract.unprobed.every(({ fillable }) => fillable === undefined);
  if (isFilled && !contract.operations.some(isExampled)) return { contract, missed: [] };
  const chosen = choice.only === undefined ? undefined : chosenChecks(contract, input, choice);
  const wanted = chosen && new Set(chosen.map(({ operation }) => operation));
  if (wanted?.size === 0) return { contract, missed: [] };
  const recorded = await harvest({ ...input, ...(wanted ? { wanted } : {}) });
  if (isFilled && Object.keys(recorded.filled).length === 0) return { contract, missed: [] };
  const filled = withValues(contract, recorded);
  if (chosen === undefined) return { contract: filled, recorded, missed: [] };
  const judged = new Set(planOf(filled, deployment, choice).checks.map(({ id }) => id));
  return {
    contract: filled,
    recorded,
    missed: chosen
      .filter(({ id, operation }) => !judged.has(id) && recorded.filled[operation] === undefined)
      .map((check) => withoutValue(check, filled)),
  };
};

/** The document as a run has it before values are read: no identity has ids of its own yet. */
export const openedAtFirst = (document: Contract, { identities, ...deployment }: Deployment): Contract =>
  asOpened(document, { ...deployment, identities: identities?.map(({ values: _values, ...each }) => each) });

/**
 * The checks of a recorded run, including those of operations that got no value.
 * @param document as `openedAtFirst` gives it
 * @param choice selects the recorded checks
 */
export const recordedChecks = (
  document: Contract,
  values: RecordedValues | undefined,
  deployment: Deployment,
  choice: PlanOptions,
): readonly Check[] => {
  const planned = (contract: Contract): readonly Check[] => planOf(contract, deployment, choice).checks;
  if (values === undefined) return planned(document);
  const filled = withValues(document, values);
  const ofOne = (id: string): readonly Check[] =>
    planned(withValues(document, valuesForOperation(values, id))).filter(({ operation }) => operation === id);
  const judged = values.apart
    ? [...planned(document), ...Object.keys({ ...values.filled, ...values.invented }).flatMap(ofOne)]
    : planned(filled);
  const ids = new Set(judged.map(({ id }) => id));
  return [
    ...judged,
    ...chosenChecks(document, { deployment }, choice).flatMap((check) =>
      ids.has(check.id) ? [] : [withoutValue(check, filled)],
    ),
  ];
};

const idOf = ({ id }: { readonly id: string }): string => id;

/** Selected checks of operations that lack values, or whose examples may not work. */
const chosenChecks = (
  contract: Contract,
  { deployment }: Pick<HarvestInput, 'deployment'>,
  choice: PlanOptions,
): readonly Check[] => {
  const lacking = new Set(
    [...contract.unprobed.filter(isWanting), ...contract.operations.filter(isExampled)].map(idOf),
  );
  return planOf(plannedContract(contract, deployment), deployment, choice).checks.filter(({ operation }) =>
    lacking.has(operation),
  );
};

const withoutValue = ({ rule, operation }: Check, contract: Contract): Check => {
  const reason =
    contract.unprobed.find((each) => each.id === operation)?.reason ??
    'A value was made up for it, and this check rests on what the key opens.';
  return new UnprobedCheck(rule, operation, { by: rule, cause: because('not-probed'), reason }, contract);
};

interface PlanWithValues {
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
    readonly reader: OperationReader;
    readonly values: ReadValues;
    readonly inspector: Inspector | undefined;
    readonly choice: PlanOptions;
    readonly signal: AbortSignal | undefined;
  },
): Promise<PlanWithValues> => {
  const owners = new Map(
    (target.identities ?? []).flatMap(({ name, owns }) => (owns === undefined ? [] : [[name, owns] as const])),
  );
  for (const [name, owns] of owners) values.learn(accountPlaceholder(name), owns);
  const found = await findValues({
    contract: asOpened(document, deployment),
    deployment,
    reader,
    values,
    owners,
    onOperation: (operation) => inspector?.add(operation),
    choice,
    signal,
  });
  const { contract, recorded } = found;
  const identities = await withOwnValues({
    contract,
    deployment,
    reader,
    values,
    owners,
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
