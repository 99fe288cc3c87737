import { groupBy, present } from '../collections.js';
import { holdsOne } from '../rules/identities/identity-views.js';
import type { KeyHolder } from '../rules/rule.js';
import { invalidKey, nobody, theKey } from '../rules/support/asked-by.js';
import type { Finding, IdentityResult, MatrixCell, OperationResult } from './results.js';

/** Access matrix: for each operation and identity, the documented and the observed access. */

interface AccessMatrix {
  readonly identities: readonly IdentityResult[];
  readonly matrix: readonly MatrixCell[];
}

type Documented = MatrixCell['documented'];

/** Documented access by identity. A public operation may open to a key or refuse it. */
const documented: Readonly<Record<OperationResult['access'], ReadonlyMap<string, Documented>>> = {
  protected: new Map([
    [nobody, 'refuses'],
    [invalidKey, 'refuses'],
    [theKey, 'opens'],
  ]),
  public: new Map([[nobody, 'opens']]),
  unstated: new Map(),
};

/** Whether the observed access contradicts the documented one. */
export const differs = ({ documented: said, seen }: Pick<MatrixCell, 'documented' | 'seen'>): boolean =>
  said !== 'unstated' && (seen === 'opens' || seen === 'refuses') && seen !== said;

/**
 * Ranks findings for a cell of the matrix: failed contradictions first, then other contradictions,
 * then clear answers.
 */
const weightOf = (said: Documented, { outcome }: Finding, seen: MatrixCell['seen']): number =>
  differs({ documented: said, seen }) ? (outcome === 'failed' ? 3 : 2) : seen === 'unclear' ? 0 : 1;

/** The documented access of an identity to an operation. */
const documentedFor = (
  identity: KeyHolder | undefined,
  name: string,
  { access, requirements }: MatrixOperation,
): Documented => {
  if (identity === undefined) return documented[access].get(name) ?? 'unstated';
  if (access !== 'protected') return 'unstated';
  const holds = holdsOne(requirements ? { requirements } : {}, identity);
  if (holds !== undefined) return holds ? 'opens' : 'refuses';
  return identity.keys === undefined ? 'opens' : 'unstated';
};

type MatrixOperation = Pick<OperationResult, 'id' | 'access' | 'requirements'>;

/**
 * Builds the access matrix of a run from its findings.
 * @param holders identities of the `IDENTITIES` file
 */
export const accessMatrixOf = (
  operations: readonly MatrixOperation[],
  findings: readonly Finding[],
  holders: readonly KeyHolder[] = [],
): AccessMatrix => {
  const withAsked = groupBy(
    findings.filter(({ asked }) => asked !== undefined),
    ({ operation }) => operation,
  );
  const known = new Map(holders.map((holder) => [holder.name, holder]));
  const named = new Set(findings.flatMap(({ asked = [] }) => asked.map(({ identity }) => identity)));
  const isNamed = holders.some(({ keys }) => keys === undefined);
  const names = [...new Set([nobody, invalidKey, ...(isNamed ? [] : [theKey]), ...known.keys(), ...named])].filter(
    (name) => known.has(name) || named.has(name) || operations.some(({ access }) => documented[access].has(name)),
  );
  const matrix = operations.flatMap((operation) =>
    names.map((identity): MatrixCell => {
      const { id } = operation;
      const said = documentedFor(known.get(identity), identity, operation);
      let cell: MatrixCell = { operation: id, identity, documented: said, seen: 'notAsked' };
      let weight = -1;
      for (const finding of withAsked.get(id) ?? []) {
        const seen = finding.asked?.find((one) => one.identity === identity)?.seen;
        if (seen === undefined || weightOf(said, finding, seen) <= weight) continue;
        weight = weightOf(said, finding, seen);
        cell = { operation: id, identity, documented: said, seen, check: finding.id };
      }
      return cell;
    }),
  );
  const alive = new Set(matrix.flatMap(({ identity, seen }) => (seen === 'opens' ? [identity] : [])));
  const identities = names.map((name): IdentityResult => {
    if (name === nobody || name === invalidKey) return { name };
    const { scopes, peers = [] } = known.get(name) ?? {};
    return present({
      name,
      scopes,
      peers: peers.length > 0 ? peers : undefined,
      alive: alive.has(name),
    });
  });
  return { identities, matrix };
};
