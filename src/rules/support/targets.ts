import { hash } from 'node:crypto';
import { memoize, memoizePerObject } from '../../collections.js';
import type { Operation } from '../../contract/model.js';
import type { Probe } from '../../wire/types.js';
import type { Deployment, OperationSubject } from '../rule.js';
import { withRandomIds } from './random-ids.js';

/** Request targets: of an operation, and of paths where nothing is. */

/** What a query may not hold as it is, encoded. */
export const inQuery = (text: string): string => text.replace(/[^A-Za-z0-9\-._~!$'()*,;:@/?[\]]/gu, encodeURIComponent);

/** Path and query of the operation at this deployment. */
export const targetOf = ({ operation, deployment }: OperationSubject): string =>
  `${deployment.basePath}${withRandomIds(operation.target, operation, deployment)}`;

export const withQuery = (target: string, parameters: readonly string[]): string =>
  parameters.length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${parameters.join('&')}`;

/**
 * The parameters of an operation that were given values: `{id}`, `the query`; `''` where there are
 * none.
 */
export const filledParameters = ({ path, target }: Operation): string => {
  const names = [...path.matchAll(/\{[^{}]*\}/g)].map(([name]) => name);
  const query = target.includes('?') && !path.includes('?') ? ['the query'] : [];
  return [...names, ...query].join(', ');
};

/** Splits at the first `?`; the second part keeps it. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
};

/** Twelve hex digits that are the same for a label within one run and unguessable before it. */
export const nonce = (deployment: Deployment, label: string): string => noncesOf(deployment)(label);

const noncesOf = memoizePerObject(({ seed }: Deployment) =>
  memoize((label: string): string => hash('sha256', `${seed} ${label}`, 'hex').slice(0, 12)),
);

/**
 * A sibling path that does not exist: the last segment that is not empty is replaced by a random
 * name. The path stays below the base path, since another service may be above it. If the
 * operation's template is given, the last literal segment is replaced: another value of a parameter
 * may exist.
 */
export const missingPath = (path: string, deployment: Deployment, template = '', label = 'missing'): string => {
  const { basePath } = deployment;
  const below = basePath !== '' && path.startsWith(`${basePath}/`) ? basePath : '';
  const segments = path.slice(below.length).split('/');
  const filled = segments.flatMap((segment, index) => (segment === '' ? [] : [index]));
  const last = filled.at(-1 - parametersBehind(template)) ?? filled.at(-1) ?? -1;
  const name = `missing-${nonce(deployment, label)}`;
  return last < 0 ? `${below}/${name}` : `${below}${segments.with(last, name).join('/')}`;
};

/**
 * The number of segments with parameters after the last literal one; 0 where there is no literal
 * segment.
 */
const parametersBehind = (template: string): number => {
  const segments = template.split('/').filter((segment) => segment !== '');
  const last = segments.findLastIndex((segment) => !segment.includes('{'));
  return last < 0 ? 0 : segments.length - 1 - last;
};

/** The same request at a sibling path that does not exist; another one for each label. */
export const missingOf = (subject: OperationSubject, probe: Probe, label?: string): Probe => {
  const [path, query] = splitTarget(probe.target);
  return { ...probe, target: `${missingPath(path, subject.deployment, subject.operation.path, label)}${query}` };
};

/**
 * The same request at the base path. If the operation itself is there: at another path that does
 * not exist.
 */
export const baseOf = (subject: OperationSubject, probe: Probe): Probe => {
  const { basePath } = subject.deployment;
  return isBase(subject)
    ? { ...probe, target: `${basePath}/missing-${nonce(subject.deployment, 'base')}` }
    : { ...probe, target: `${basePath}/` };
};

const isBase = ({ operation }: OperationSubject): boolean => /^\/*$/.test(splitTarget(operation.target)[0]);
