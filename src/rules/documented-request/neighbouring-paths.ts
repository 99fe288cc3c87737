import { requestFor, splitTarget } from '../requests.js';
import type { OperationSubject } from '../rule.js';
import { type RequestVariant, versionOf } from './versions.js';

/** Other paths where the same resource may answer. */
export const neighbouringPaths = (subject: OperationSubject): RequestVariant[] => {
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
    // A value that was filled in has no plural: it is another value.
    ...(/\{[^{}/]*\}\/?$/.test(subject.operation.path) ? [] : [path.replace(/([^/s])(\/?)$/, '$1s$2')]),
  ];
  return [...new Set(paths)]
    .filter((other) => other !== path && other !== '')
    .map((other) => ({
      words: `${subject.deployment.basePath}${other}`,
      probe: (credential, round = 1) =>
        requestFor(subject, {
          name: `the neighbour ${other}`,
          credential,
          round,
          target: `${subject.deployment.basePath}${other}${query}`,
        }),
    }));
};
