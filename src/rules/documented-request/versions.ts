import type { HeaderPair, Probe } from '../../wire/types.js';
import type { OperationSubject } from '../rule.js';
import { requestFor } from '../support/requests.js';
import { nonce, splitTarget, targetOf, withQuery } from '../support/targets.js';

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

export interface VersionVariant extends RequestVariant {
  /** The same request with a meaningless version. If that opens as well, no version is needed. */
  readonly meaningless: RequestVariant['probe'];
}

const versionSegment = /^(?:v(\d+(?:\.\d+)*)|(\d{1,2}(?:\.\d+)*))$/i;

/**
 * The version segment of the documented path, such as `v2`, and its number. Parameter values are
 * not considered.
 */
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
  const meaningless = `none-${nonce(subject.deployment, 'version')}`;
  const send =
    (words: string, headers: readonly HeaderPair[], target = targetOf(subject)): RequestVariant['probe'] =>
    (credential, round = 1) =>
      requestFor(subject, { name: `with ${words}`, credential, headers, round, target });
  const inField = (field: string, value: string): RequestVariant => ({
    words: `${field}: ${value}`,
    probe: send(`${field}: ${value}`, [[field, value]]),
  });
  const inQuery = (value: string): RequestVariant => ({
    words: `?version=${value}`,
    probe: send(`?version=${value}`, [], withQuery(targetOf(subject), [`version=${value}`])),
  });
  const ways = (value: string): readonly RequestVariant[] => [
    ...fields.map((field) => inField(field, value)),
    inField('Accept', `application/json; version=${value}`),
    inQuery(value),
  ];
  const controls = ways(meaningless).map(({ probe }) => probe);
  return [version.segment, version.number].flatMap((value) =>
    ways(value).flatMap((way, index) => {
      const control = controls[index];
      return control ? [{ ...way, meaningless: control }] : [];
    }),
  );
};
