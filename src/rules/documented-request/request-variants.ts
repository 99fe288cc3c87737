import { memoize, memoizePerObject } from '../../collections.js';
import type { Contract } from '../../contract/model.js';
import { withQuery } from '../../urls.js';
import type { HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { nonce } from '../support/nonce.js';
import { requestFor } from '../support/requests.js';
import { splitTarget, targetOf, withoutSlash } from '../support/targets.js';

/** PATH-2: the version in the path, and other places where services expect a version. */

/** Another request for the operation. `credential` is a form of the key. */
export interface RequestVariant {
  readonly words: string;
  readonly probe: (credential: string, round?: number) => Probe;
}

/** A request for the operation at another path. */
export interface PathVariant extends RequestVariant {
  /** The request target: path and query. */
  readonly target: string;
}

interface VersionVariant extends RequestVariant {
  /** The same request with a meaningless version. If that opens as well, no version is needed. */
  readonly meaningless: RequestVariant['probe'];
}

const versionSegment = /^(?:v(\d+(?:\.\d+)*)|(\d{1,2}(?:\.\d+)*))$/i;

/** The version segment of the documented path (`v2`), and its number. */
export const versionOf = (
  subject: OperationSubject,
): { readonly segment: string; readonly number: string } | undefined => {
  for (const segment of splitTarget(subject.operation.path)[0].split('/')) {
    const [, named, bare] = versionSegment.exec(segment) ?? [];
    const number = named ?? bare;
    if (number !== undefined) return { segment, number };
  }
  return undefined;
};

const fields = ['Api-Version', 'X-Api-Version', 'Accept-Version'] as const;

/** Requests with the version in a header field or in the query. */
export const versionVariants = (subject: OperationSubject): readonly VersionVariant[] => {
  const version = versionOf(subject);
  if (!version) return [];
  // Without digits: a server may take the first number that it finds.
  const meaningless = `none-${nonce(subject.deployment, 'version').replace(/\d/g, (digit) => 'ghjklmpqrs'.charAt(Number(digit)))}`;
  const variant = (words: string, headers: readonly HeaderPair[], target = targetOf(subject)): RequestVariant => ({
    words,
    probe: (credential, round = 1) =>
      requestFor(subject, { name: `with ${words}`, credential, headers, round, target }),
  });
  const inField = (field: string, value: string): RequestVariant => variant(`${field}: ${value}`, [[field, value]]);
  const ways: readonly ((value: string) => RequestVariant)[] = [
    ...fields.map((field) => (value: string) => inField(field, value)),
    (value) => inField('Accept', `application/json; version=${value}`),
    (value) => variant(`?version=${value}`, [], withQuery(targetOf(subject), [`version=${value}`])),
  ];
  return [version.segment, version.number].flatMap((value) =>
    ways.map((way) => ({ ...way(value), meaningless: way(meaningless).probe })),
  );
};

export const withOtherLastSlash = (target: string): string => {
  const [path, query] = splitTarget(target);
  return `${path.endsWith('/') ? withoutSlash(path) : `${path}/`}${query}`;
};

/** Other paths where the resource may answer: another slash, version, prefix or plural. */
export const neighbouringPaths = (subject: OperationSubject): PathVariant[] => {
  const [path, query] = splitTarget(subject.operation.target);
  const version = versionOf(subject);
  const swap = (from: string, to: string): string => path.replace(`/${from}/`, to);
  const paths = [
    withOtherLastSlash(path),
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

/** The documented paths below a base path, and those with parameters as segments. */
const documentedPaths = memoizePerObject(({ operations, unprobed }: Contract) =>
  memoize((basePath: string) => {
    const all = [...new Set([...operations, ...unprobed].map(({ path }) => `${basePath}${path}`))];
    const templates = all.filter(isTemplated).map((path) => ({ path, segments: path.split('/') }));
    return { all: new Set(all), templates };
  }),
);

/** Whether a target is another documented operation's, which says nothing about this one. */
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
