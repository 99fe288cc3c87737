import { hash } from 'node:crypto';
import type { Operation, RandomId } from '../../contract/model.js';
import { pathSegments, withQuery } from '../../urls.js';
import type { Deployment, OperationSubject } from '../rule.js';
import { nonce, uuidOf } from './nonce.js';

/** Request targets: of operations, and of paths that do not exist. */

/** A number or a UUID. It is the same for a label within one run, and cannot be guessed before. */
const randomId = ({ kind, label }: RandomId, { seed }: Pick<Deployment, 'seed'>): string => {
  const hex = hash('sha256', `${seed} random id ${label}`, 'hex');
  if (kind === 'uuid') return uuidOf(hex);
  // From 10^14 to 8.2 * 10^14: larger than counters get, and exact as a double.
  return String(100_000_000_000_001n + (BigInt(`0x${hex.slice(0, 16)}`) % 720_000_000_000_000n));
};

/** Replaces the stand-ins in a target or field value with random ids. */
export const withRandomIds = (
  text: string,
  { randomIds = [] }: Pick<Operation, 'randomIds'>,
  deployment: Pick<Deployment, 'seed'>,
): string =>
  randomIds.reduce(
    (so, id) => (so.includes(id.standIn) ? so.replaceAll(id.standIn, randomId(id, deployment)) : so),
    text,
  );

/** Percent-encodes the characters that a query must not contain. */
export const inQuery = (text: string): string => text.replace(/[^A-Za-z0-9\-._~!$'()*,;:@/?[\]]/gu, encodeURIComponent);

/** Path and query of the operation at this deployment. */
export const targetOf = ({ operation, deployment }: OperationSubject): string =>
  `${deployment.basePath}${withRandomIds(operation.target, operation, deployment)}`;

/** The operation's parameters that got values: `{id}, the query`. `''` if there are none. */
export const filledParameters = ({ path, target }: Operation): string => {
  const names = [...path.matchAll(/\{[^{}]*\}/g)].map(([name]) => name);
  const query = target.includes('?') && !path.includes('?') ? ['the query'] : [];
  return [...names, ...query].join(', ');
};

/** Splits at the first `?`, which the second part keeps. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
};

export const withoutSlash = (path: string): string => path.replace(/\/$/, '');

/** Splits a path behind the base path, which is `''` where the path is not below it. */
export const splitBase = (
  path: string,
  { basePath }: Pick<Deployment, 'basePath'>,
): readonly [base: string, below: string] =>
  path.startsWith(`${basePath}/`) ? [basePath, path.slice(basePath.length)] : ['', path];

/** A target with a query that no other request has: no cache answers it, or keeps its answer. */
export const onItsOwnQuery = (subject: OperationSubject, label: string, target = targetOf(subject)): string =>
  withQuery(target, [`nothing-${nonce(subject.deployment, `${label} ${subject.operation.id}`)}=1`]);

/** Whether a target ends with such a query. */
export const hasItsOwnQuery = (target: string): boolean => /[?&]nothing-\w+=1$/.test(target);

/**
 * A target like this one whose path does not exist: the last literal segment of the operation's
 * path, or else the last segment that is not empty, is replaced by a random name. A parameter is
 * not replaced, since another value may exist. The path stays below the base path, above which
 * another service may be. Each label has another path.
 */
export const missingTarget = (
  { operation, deployment }: OperationSubject,
  target: string,
  label = 'missing',
): string => {
  const [path, query] = splitTarget(target);
  const [base, below] = splitBase(path, deployment);
  const segments = below.split('/');
  const filled = segments.flatMap((segment, index) => (segment === '' ? [] : [index]));
  const last = filled.at(-1 - parametersBehind(operation.path)) ?? filled.at(-1) ?? -1;
  const name = `missing-${nonce(deployment, label)}`;
  return `${base}${last < 0 ? `/${name}` : segments.with(last, name).join('/')}${query}`;
};

/** How many parameter segments follow the last literal one; 0 if there is no literal one. */
const parametersBehind = (template: string): number => {
  const segments = pathSegments(template);
  const last = segments.findLastIndex((segment) => !segment.includes('{'));
  return last < 0 ? 0 : segments.length - 1 - last;
};
