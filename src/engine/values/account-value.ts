import type { Fillable, MissingParameter, Operation } from '../../contract/model.js';
import { accountNouns, accountPlaceholder, mayNameAccount } from '../../rules/identities/account-claims.js';
import type { Deployment } from '../../rules/rule.js';
import { usable } from './members.js';
import { type Wanting, withoutExamples } from './sources.js';
import { isSingularOf, type PathParameter, pathParameters } from './template.js';

/** Parameters that name the account whose key asks, by `owns` in IDENTITIES. */

export interface AccountValue {
  readonly placeholder: string;
  /** Absent before a run. */
  readonly value?: string;
  /** Whether the name of a parameter says that it names an account. */
  readonly isFor: (parameter: MissingParameter) => boolean;
  /**
   * Whether a parameter of any name may: the first one that asks for what belongs to one account. A
   * number may be the id of anything.
   */
  readonly mayBeFor: (parameter: MissingParameter) => boolean;
}

/** The literal segment right before a parameter; `''` without one. */
const collectionOf = ({ prefix, noun }: PathParameter): string => (prefix.endsWith(`/${noun}/{}`) ? noun : '');

/**
 * How `owns` in IDENTITIES names the account of the identity that asks for an operation.
 * @param owners identity name → what `owns` says of it
 */
export const accountValueFor = (
  { fillable, path }: Wanting,
  { identities = [] }: Pick<Deployment, 'identities'>,
  owners: ReadonlyMap<string, string> = new Map(),
): AccountValue | undefined => {
  if (identities.every(({ owns }) => owns === undefined)) return undefined;
  const filled = fillable.fill(new Map(fillable.missing.map(({ name }) => [name, '0'])));
  const asker = identities.find(({ name, keys }) =>
    filled?.asker === undefined ? keys === undefined : name === filled.asker,
  );
  if (!filled || asker?.owns === undefined) return undefined;
  const value = owners.get(asker.name);
  const isNamedSo = ({ name, in: place }: MissingParameter): boolean => {
    if (mayNameAccount(filled, name)) return true;
    const inPath = place === 'path' ? pathParameters(path).find((parameter) => parameter.name === name) : undefined;
    return inPath !== undefined && accountNouns(filled).some((noun) => isSingularOf(noun, collectionOf(inPath)));
  };
  const fits = (parameter: MissingParameter): boolean => value === undefined || usable(value, parameter) !== undefined;
  return {
    placeholder: accountPlaceholder(asker.name),
    ...(value === undefined ? {} : { value }),
    isFor: (parameter) => isNamedSo(parameter) && fits(parameter),
    mayBeFor: (parameter) =>
      filled.owned === true && parameter.name === fillable.missing[0]?.name && fits(parameter) && !asker.ownsNumber,
  };
};

/**
 * An operation without its examples, one of which stands for the account of the key: `-` names
 * everybody's own. `undefined` for any other operation.
 */
export const withoutAccountExample = (
  operation: Operation & { readonly exampled: Fillable },
  deployment: Pick<Deployment, 'identities'>,
  owners?: ReadonlyMap<string, string>,
): Wanting | undefined => {
  const wanting = withoutExamples(operation);
  const account = operation.owned ? accountValueFor(wanting, deployment, owners) : undefined;
  return account && wanting.fillable.missing.some(account.isFor) ? wanting : undefined;
};
