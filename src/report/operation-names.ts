import { nameOfOperation } from '../engine/causes/titles.js';
import type { OperationResult } from '../engine/results.js';

/** `GET /orders`; for an operation that the document does not have, what stands for it. */
export const titleOfOperation = (id: string, operation: OperationResult | undefined): string =>
  nameOfOperation(id, new Map(operation ? [[id, operation]] : []));
