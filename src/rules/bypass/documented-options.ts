import type { Operation } from '../../contract/model.js';
import type { OperationSubject } from '../rule.js';
import { targetOf } from '../support/targets.js';
import { type Bypass, bundleOf, bypassOf, type Change, change } from './bypass.js';

/**
 * Requests without the key that ask for what the document leaves to the client: optional
 * parameters, other listed values of required ones, and other media types. A filter, a later page
 * or an export may have a handler of its own.
 */

const otherValues = 'another listed value of a required parameter';

/** Media types that the usual Accept covers, or that another rule asks every operation for. */
const usualTypes: ReadonlySet<string> = new Set(['application/json', 'text/html', 'text/csv', 'application/xml']);

const mostTypes = 3;

/** Media types of documented successes. */
const documentedTypes = ({ responses }: Operation): readonly string[] => {
  const contents = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ content }) => content);
  return [...new Set(contents.map(({ mediaType }) => mediaType))].filter((type) => !type.includes('*'));
};

const otherTypes = (operation: Operation): readonly string[] =>
  documentedTypes(operation)
    .filter((type) => !usualTypes.has(type))
    .slice(0, mostTypes);

/** Documented media types that an operation gives to those alone who ask for them. */
export const typesOnRequest = (operation: Operation): readonly string[] => {
  const [first, ...others] = documentedTypes(operation);
  if (first === undefined || others.length === 0) return [];
  return [first, ...others].filter((type) => type !== 'application/json').slice(0, mostTypes);
};

const parameterName = (parameter: NonNullable<Operation['optional']>[number]): string =>
  typeof parameter === 'string' ? parameter.replace(/=.*/s, '') : parameter[0];

/** Equal for operations that are asked for the same options. */
export const namesOfOptions = (operation: Operation): readonly string[] => [
  ...(operation.optional ?? []).map(parameterName),
  ...(operation.otherTarget === undefined ? [] : [otherValues]),
  ...otherTypes(operation),
];

export const documentedOptions = (subject: OperationSubject): readonly Bypass[] => {
  const { optional = [], otherTarget } = subject.operation;
  const changes = optional.map(
    (one): Change => (typeof one === 'string' ? { words: `?${one}`, parameters: [one] } : change(...one)),
  );
  const words = `optional parameters (${optional.map(parameterName).join(', ')})`;
  const alone = otherTypes(subject.operation).map((type) => change('Accept', type));
  if (otherTarget !== undefined) {
    const operation = { ...subject.operation, target: otherTarget };
    alone.unshift({ words: otherValues, target: targetOf({ ...subject, operation }) });
  }
  return [
    ...(changes.length === 0 ? [] : [bundleOf(subject, words, changes, { changesForm: true })]),
    ...alone.map((one): Bypass => ({ ...bypassOf(subject, one), changesForm: true })),
  ];
};
