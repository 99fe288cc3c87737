import type { Operation } from '../../contract/model.js';
import type { ReadAnswer } from './operation-reader.js';
import type { Choice, KnownValue } from './placeholders.js';
import { pathParameters } from './template.js';

/** Values for the parameters of one path, from left to right. */

/** An answer from which values are taken. */
export interface AnsweredRead {
  readonly operation: Operation;
  readonly choice: Choice;
  readonly answer: ReadAnswer;
}

/** Values for the parameters of a path, in order; `undefined` for one that has a value already. */
export type Chain = readonly (KnownValue | undefined)[];

export const padded = (chain: Chain, length: number): Chain => Array.from({ length }, (_, index) => chain[index]);

/** The prefixes of a pattern that end with each of its parameters. */
export const prefixesOf = (pattern: string): readonly string[] =>
  [...pattern.matchAll(/\{\}/g)].map(({ index }) => pattern.slice(0, index + 2));

/** The values with which a reading's path was filled, in the order of its parameters. */
export const chainOf = ({ operation, choice }: AnsweredRead, length: number): Chain =>
  pathParameters(operation.path)
    .slice(0, length)
    .map(({ name }) => choice.get(name));
