import { visible } from '../visible.js';
import type {
  Clause,
  Contract,
  ContractProblem,
  Gap,
  Operation,
  SecurityScheme,
  StatedScheme,
  UnprobedOperation,
} from './model.js';

/**
 * Escapes control and bidirectional characters in names and texts of a contract, which get into
 * reports, logs and pages. What is sent or compared (target, header fields, key placement) is
 * unchanged.
 */
export const withVisibleText = (contract: Omit<Contract, 'schemas'>): Omit<Contract, 'schemas'> => {
  // Schemes are compared by identity.
  const schemes = new Map<SecurityScheme, SecurityScheme>();
  const scheme = (of: SecurityScheme): SecurityScheme => {
    const known = schemes.get(of);
    if (known) return known;
    const { doubt } = of;
    const shown = { ...of, name: visible(of.name), ...(doubt === undefined ? {} : { doubt: visible(doubt) }) };
    schemes.set(of, shown);
    return shown;
  };
  const stated = ({ name, scopes }: StatedScheme): StatedScheme => ({
    name: visible(name),
    scopes: scopes.map(visible),
  });
  const requirements = ({ requirements: all }: Operation | UnprobedOperation): Pick<Operation, 'requirements'> =>
    all ? { requirements: all.map((way) => way.map(stated)) } : {};
  const operation = (of: Operation): Operation => ({
    ...of,
    id: visible(of.id),
    method: visible(of.method),
    path: visible(of.path),
    security: of.security.map(scheme),
    ...(of.alternatives ? { alternatives: of.alternatives.map((way) => way.map(scheme)) } : {}),
    ...requirements(of),
  });
  const unprobed = (of: UnprobedOperation): UnprobedOperation => ({
    ...of,
    id: visible(of.id),
    method: visible(of.method),
    path: visible(of.path),
    reason: visible(of.reason),
    ...requirements(of),
    ...(of.details ? { details: of.details.map(visible) } : {}),
  });
  const clause = (of: Clause): Clause => ({
    ...of,
    id: visible(of.id),
    ...(of.short === undefined ? {} : { short: visible(of.short) }),
    text: visible(of.text),
    source: visible(of.source),
  });
  const gap = (of: Gap): Gap => ({
    ...of,
    id: visible(of.id),
    question: visible(of.question),
    source: visible(of.source),
    ...(of.excluded === undefined ? {} : { excluded: visible(of.excluded) }),
  });
  const problem = (of: ContractProblem): ContractProblem => ({
    ...of,
    message: visible(of.message),
    ...(of.hint === undefined ? {} : { hint: visible(of.hint) }),
  });
  return {
    ...contract,
    title: visible(contract.title),
    version: visible(contract.version),
    ...(contract.server === undefined ? {} : { server: visible(contract.server) }),
    clauses: contract.clauses.map(clause),
    gaps: contract.gaps.map(gap),
    operations: contract.operations.map(operation),
    unprobed: contract.unprobed.map(unprobed),
    schemes: contract.schemes.map(scheme),
    warnings: contract.warnings.map(problem),
  };
};
