import type { Finding, OperationResult, RunRecord } from '../../../src/engine/results.js';
import { nobody } from '../../../src/rules/support/asked-by.js';
import type { Exchange } from '../../../src/wire/types.js';
import { exchange, json, operations, recordOf } from './run-record.js';

const rules = [
  ['serves-documented-path', 'PATH-1', 'answers at the documented path'],
  ['needs-no-other-version', 'PATH-2', 'needs no version besides the one in the path'],
  ['reads-with-get', 'PATH-3', 'is read with GET and no body'],
  ['takes-key-where-documented', 'AUTH-1', 'takes the key in the Authorization header'],
  ['takes-key-nowhere-else', 'AUTH-1', 'takes the key nowhere else'],
  ['takes-documented-format', 'AUTH-2', 'takes Token, one space, the key'],
  ['takes-no-other-format', 'AUTH-2', 'takes the key in no other format'],
  ['refuses-plain-http', 'HTTPS-2', 'does not answer over plain HTTP'],
  ['refuses-missing-key', 'AUTH-3', 'refuses a request without a key'],
  ['refuses-worthless-keys', 'AUTH-3', 'refuses keys that are worth nothing'],
  ['refuses-other-spellings', 'AUTH-3', 'refuses other spellings of the path'],
  ['refuses-proxy-fields', 'AUTH-3', 'refuses fields that only a proxy should set'],
  ['refuses-leftovers', 'AUTH-3', 'refuses on a connection or cache that others left behind'],
  ['documented-status', 'DOC-1', 'answers with a documented status'],
  ['documented-body', 'DOC-2', 'answers with a documented body'],
] as const;

/**
 * A run of `size` operations with fifteen checks each. Exchanges are made as they are read, so that
 * the record takes no memory.
 */
export const largeRun = (size: number, exchangesEach: number): RunRecord => {
  const names = Array.from({ length: size }, (_, at) => `listThing${at}`);
  const all: OperationResult[] = names.map((id, at) => ({
    ...(operations[0] ?? { method: 'GET', path: '/', access: 'protected', probed: true }),
    id,
    path: `/api/v2/thing-${at}/`,
  }));
  const exchangesOf = (name: string, at: number): Exchange[] =>
    Array.from({ length: exchangesEach }, (_, number) =>
      exchange(name, `request ${number} without a key`, `/api/v2/thing-${at}/?n=${number}`, [], {
        status: 401,
        body: json({ detail: 'Authentication credentials were not provided.', request: `${at}-${number}` }),
      }),
    );
  const findings = names.flatMap((name, at): Finding[] => {
    const ids = exchangesOf(name, at).map(({ id }) => id);
    return rules.map(([rule, clause, title], number) => ({
      id: `${rule}@${name}`,
      rule,
      clauses: [clause],
      operation: name,
      title,
      outcome: at % 100 === 7 && rule === 'refuses-missing-key' ? 'failed' : at % 50 === 3 ? 'inconclusive' : 'passed',
      reason: `It answers 401 at /api/v2/thing-${at}/, and nothing of what the key opens is in it.`,
      ...(rule === 'refuses-missing-key'
        ? { asked: [{ identity: nobody, seen: at % 100 === 7 ? 'opens' : 'refuses' } as const] }
        : {}),
      exchanges: ids.slice(number % exchangesEach, (number % exchangesEach) + 4),
      comparedWith: ids.slice(0, 4),
      durationMs: 12,
    }));
  });
  const record = recordOf(findings, [], { operations: all });
  return {
    ...record,
    async *exchanges() {
      for (const [at, name] of names.entries()) yield* exchangesOf(name, at);
    },
  };
};
