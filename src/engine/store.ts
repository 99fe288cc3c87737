import { closeSync, createReadStream, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attempt, Exchange } from '../wire/types.js';
import { DigestIndex, hexNumber } from './digest-index.js';
import { linesOf } from './lines.js';
import type { StoredExchange } from './results.js';
import { storedText } from './stored-text.js';

/** Which exchanges are let go of, and how. */
export interface Settling {
  readonly isDone: (exchange: Exchange) => boolean;
  readonly isData: (exchange: Exchange) => boolean;
}

/**
 * Keeps exchanges: the ones in use in memory, the rest in a file that only this user can read and that has no name where the system lets
 * go of one: nothing is left of it, however the process ends. What is written has left out the text of bodies that are somebody's data.
 */
export class Store {
  readonly #folder = mkdtempSync(join(tmpdir(), 'access-conformance-'));
  readonly #descriptor = openSync(join(this.#folder, 'exchanges.jsonl'), 'wx+', 0o600);
  readonly #inUse = new Map<string, Exchange>();
  /** Numbers of lines by exchange id. */
  readonly #lines = new DigestIndex(hexNumber);
  /** Where each line starts, and at last where the next one will. */
  readonly #starts: number[] = [0];

  constructor() {
    try {
      this.#removeFolder();
    } catch {
      // Windows keeps the name of an open file; `dispose` removes it.
    }
  }

  has(id: string): boolean {
    return this.#inUse.has(id) || this.#lines.get(id) !== undefined;
  }

  get(id: string): Exchange | undefined {
    return this.#inUse.get(id) ?? this.#recall(id);
  }

  add(exchange: Exchange): void {
    this.#inUse.set(exchange.id, exchange);
  }

  /** Writes what `isDone` and lets go of it; `isData` tells whose body text must not be written. */
  settle({ isDone, isData }: Settling): void {
    const lines: Buffer[] = [];
    const start = this.#starts.at(-1) ?? 0;
    let at = start;
    for (const exchange of this.#inUse.values()) {
      if (!isDone(exchange)) continue;
      this.#inUse.delete(exchange.id);
      if (this.#lines.get(exchange.id) !== undefined) continue;
      const line = Buffer.from(`${storedText(exchange, !isData(exchange))}\n`);
      this.#lines.set(exchange.id, this.#lines.size);
      at += line.length;
      this.#starts.push(at);
      lines.push(line);
    }
    const all = Buffer.concat(lines);
    for (let done = 0; done < all.length; )
      done += writeSync(this.#descriptor, all, done, all.length - done, start + done);
  }

  /** Every settled exchange, in the order of settling. */
  async *exchanges(): AsyncGenerator<StoredExchange> {
    const file = createReadStream('', { fd: this.#descriptor, autoClose: false, start: 0 });
    for await (const line of linesOf(file)) yield JSON.parse(line) as StoredExchange;
  }

  dispose(): void {
    closeSync(this.#descriptor);
    this.#removeFolder();
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #recall(id: string): Exchange | undefined {
    const number = this.#lines.get(id);
    if (number === undefined) return undefined;
    const offset = this.#starts[number] ?? 0;
    const length = (this.#starts[number + 1] ?? offset) - offset;
    const line = Buffer.alloc(length);
    readSync(this.#descriptor, line, 0, length, offset);
    const exchange = recalled(JSON.parse(line.toString('utf8')) as StoredExchange);
    this.#inUse.set(id, exchange);
    return exchange;
  }
}

/** A stored exchange as judges see it. */
export const recalled = (exchange: StoredExchange): Exchange => ({
  ...exchange,
  attempts: exchange.attempts.map(({ response, ...rest }): Attempt => {
    if (!response) return rest;
    const { body, shape, size: _size, digest: _digest, truncated: _truncated, ...head } = response;
    return { ...rest, response: { ...head, facts: shape, text: body ?? null } };
  }),
});
