import type { Contract, Fillable, Operation, SecurityScheme } from '../../contract/model.js';
import type { KeyHolder } from '../rule.js';
import { holdsOne } from './stated-scopes.js';

/** Who asks for an operation where a check needs a key that opens it. */

type Holder = Pick<KeyHolder, 'name' | 'keys' | 'scopes' | 'peers'>;

/** `security` with the settings of an identity; `undefined` where it lacks a key. */
export const keyedBy = (
  { keys }: Pick<KeyHolder, 'keys'>,
  security: readonly SecurityScheme[],
): readonly SecurityScheme[] | undefined => {
  if (keys === undefined) return security;
  const own = security.flatMap((scheme) => {
    const setting = keys[scheme.name];
    return setting === undefined ? [] : [{ ...scheme, setting }];
  });
  return own.length === security.length ? own : undefined;
};

/** Every alternative of an operation, with the settings of the holder of API_KEY. */
export const allWaysOf = ({
  allWays,
  security,
  alternatives = [],
}: Operation): readonly (readonly SecurityScheme[])[] => allWays ?? [security, ...alternatives];

/** The ways of an operation that an identity has the keys and the scopes for. */
const waysOf = (
  operation: Operation,
  holder: Holder,
  given: ReadonlySet<string>,
): readonly (readonly SecurityScheme[])[] =>
  allWaysOf(operation).flatMap((way) => {
    const keyed = keyedBy(holder, way);
    const isGiven = holder.keys !== undefined || way.every(({ setting }) => given.has(setting));
    return keyed && isGiven && holdsOne(operation, holder, way) !== false ? [keyed] : [];
  });

const withWays = (
  operation: Operation,
  [security = [], ...alternatives]: readonly (readonly SecurityScheme[])[],
): Operation => {
  const { alternatives: _others, ...rest } = operation;
  return { ...rest, security, ...(alternatives.length > 0 ? { alternatives } : {}), allWays: allWaysOf(operation) };
};

const askedFor = (operation: Operation, holders: readonly Holder[], given: ReadonlySet<string>): Operation => {
  const main = holders.find(({ keys }) => keys === undefined);
  if (operation.access !== 'protected' || !main) return operation;
  const own = waysOf(operation, main, given);
  if (own.length > 0) return main.scopes === undefined ? operation : withWays(operation, own);
  const [opener] = holders.flatMap((holder) => {
    const ways = holder === main ? [] : waysOf(operation, holder, given);
    return ways.length > 0 ? [{ name: holder.name, ways }] : [];
  });
  if (!opener) return operation;
  return { ...withWays(operation, opener.ways), askedAs: opener.name };
};

/**
 * The contract with each protected operation as somebody asks for it who may: the holder of API_KEY,
 * or, where that key lacks a stated scope or is of another scheme, the first identity that may.
 * @param given settings that have a key
 */
export const withAskers = (contract: Contract, holders: readonly Holder[], given: readonly string[]): Contract => {
  if (holders.length === 0) return contract;
  const settings = new Set(given);
  const asked = (operation: Operation): Operation => askedFor(operation, holders, settings);
  return {
    ...contract,
    operations: contract.operations.map(asked),
    unprobed: contract.unprobed.map((each) => {
      const { fillable } = each;
      if (!fillable) return each;
      const fill: Fillable['fill'] = (values) => {
        const operation = fillable.fill(values);
        return operation && asked(operation);
      };
      return { ...each, fillable: { ...fillable, fill } };
    }),
    get schemas() {
      return contract.schemas;
    },
  };
};
