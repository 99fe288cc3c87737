import { groupBy } from '../collections.js';
import { invalidKey, nobody, theKey } from '../rules/asked-by.js';
import type { Finding, IdentityResult, MatrixCell, OperationResult } from './results.js';

/** Operations × who asks: what the document says of access, and what was seen. */

export interface AccessMatrix {
  readonly identities: readonly IdentityResult[];
  readonly matrix: readonly MatrixCell[];
}

type Documented = MatrixCell['documented'];

/** What the document says of each access. With a key, a public resource may do as it likes. */
const documented: Readonly<Record<OperationResult['access'], ReadonlyMap<string, Documented>>> = {
  protected: new Map([
    [nobody, 'refuses'],
    [invalidKey, 'refuses'],
    [theKey, 'opens'],
  ]),
  public: new Map([[nobody, 'opens']]),
  unstated: new Map(),
};

/** Whether the document says one thing and another was seen. */
export const differs = ({ documented: said, seen }: Pick<MatrixCell, 'documented' | 'seen'>): boolean =>
  said !== 'unstated' && (seen === 'opens' || seen === 'refuses') && seen !== said;

/**
 * How much a finding says of a cell: one that failed more than one that did not, and one that saw
 * something more than one that did not.
 */
const weightOf = (said: Documented, { outcome }: Finding, seen: MatrixCell['seen']): number =>
  differs({ documented: said, seen }) ? (outcome === 'failed' ? 3 : 2) : seen === 'unclear' ? 0 : 1;

/** Makes the matrix of a run from what its findings say of who asked. */
export const accessMatrixOf = (
  operations: readonly Pick<OperationResult, 'id' | 'access'>[],
  findings: readonly Finding[],
): AccessMatrix => {
  const telling = groupBy(
    findings.filter(({ asked }) => asked !== undefined),
    ({ operation }) => operation,
  );
  const named = new Set(findings.flatMap(({ asked = [] }) => asked.map(({ identity }) => identity)));
  const names = [...new Set([nobody, invalidKey, theKey, ...named])].filter(
    (name) => named.has(name) || operations.some(({ access }) => documented[access].has(name)),
  );
  const matrix = operations.flatMap(({ id, access }) =>
    names.map((identity): MatrixCell => {
      const said = documented[access].get(identity) ?? 'unstated';
      let cell: MatrixCell = { operation: id, identity, documented: said, seen: 'notAsked' };
      let weight = -1;
      for (const finding of telling.get(id) ?? []) {
        const seen = finding.asked?.find((one) => one.identity === identity)?.seen;
        if (seen === undefined || weightOf(said, finding, seen) <= weight) continue;
        weight = weightOf(said, finding, seen);
        cell = { operation: id, identity, documented: said, seen, check: finding.id };
      }
      return cell;
    }),
  );
  const alive = new Set(matrix.flatMap(({ identity, seen }) => (seen === 'opens' ? [identity] : [])));
  const identities = names.map((name) =>
    name === nobody || name === invalidKey ? { name } : { name, alive: alive.has(name) },
  );
  return { identities, matrix };
};
