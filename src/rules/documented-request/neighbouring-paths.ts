import { memoize, memoizePerObject } from '../../collections.js';
import type { Contract } from '../../contract/model.js';
import type { OperationSubject } from '../rule.js';
import { requestFor } from '../support/requests.js';
import { splitTarget } from '../support/targets.js';
import { type PathVariant, versionOf } from './versions.js';

/**
 * Other paths where the resource may answer: with or without a trailing slash, another version, and
 * the like.
 */
export const neighbouringPaths = (subject: OperationSubject): PathVariant[] => {
  const [path, query] = splitTarget(subject.operation.target);
  const version = versionOf(subject);
  const swap = (from: string, to: string): string => path.replace(`/${from}/`, to);
  const paths = [
    path.endsWith('/') ? path.replace(/\/$/, '') : `${path}/`,
    ...(version
      ? [
          ...['v1', 'v2', 'v3']
            .filter((other) => other !== version.segment)
            .map((other) => swap(version.segment, `/${other}/`)),
          swap(version.segment, '/'),
        ]
      : []),
    path.replace(/^\/api\//, '/'),
    // The last segment is not made plural if it is a parameter: that would be another value.
    ...(/\{[^{}/]*\}\/?$/.test(subject.operation.path) ? [] : [path.replace(/([^/s])(\/?)$/, '$1s$2')]),
  ];
  return [...new Set(paths)]
    .filter((other) => other !== path && other !== '')
    .map((other) => {
      const target = `${subject.deployment.basePath}${other}${query}`;
      return {
        words: `${subject.deployment.basePath}${other}`,
        target,
        probe: (credential, round = 1) =>
          requestFor(subject, { name: `the neighbour ${other}`, credential, round, target }),
      };
    });
};

const isTemplated = (text: string): boolean => /[{}]/.test(text);

/**
 * The paths of a document below a base path: all of them, and those with parameters as segments.
 */
const documentedPaths = memoizePerObject(({ operations, unprobed }: Contract) =>
  memoize((basePath: string) => {
    const all = [...new Set([...operations, ...unprobed].map(({ path }) => `${basePath}${path}`))];
    const templates = all.filter(isTemplated).map((path) => ({ path, segments: path.split('/') }));
    return { all: new Set(all), templates };
  }),
);

/**
 * Whether a target is that of another documented operation, whose answer says nothing about this
 * one.
 */
export const isOtherOperation = (target: string, { contract, deployment, operation }: OperationSubject): boolean => {
  const [path] = splitTarget(target);
  const { all, templates } = documentedPaths(contract)(deployment.basePath);
  const documented = `${deployment.basePath}${operation.path}`;
  if (path !== documented && all.has(path)) return true;
  const own = path.split('/');
  return templates.some(
    ({ path: other, segments }) =>
      other !== documented &&
      segments.length === own.length &&
      segments.every((segment, index) => segment === own[index] || (isTemplated(segment) && own[index] !== '')),
  );
};
