import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attempt, Exchange } from '../wire/types.js';
import type { StoredAttempt, StoredExchange } from './results.js';

/**
 * Keeps exchanges: the ones in use in memory, the rest on disk in a folder that only this user can read. What is written
 * has left out the text of bodies that are somebody's data.
 */
export class Store {
  readonly #folder = mkdtempSync(join(tmpdir(), 'access-conformance-'));
  readonly #file = join(this.#folder, 'exchanges.jsonl');
  readonly #descriptor = openSync(this.#file, 'wx+', 0o600);
  readonly #inUse = new Map<string, Exchange>();
  readonly #places = new Map<string, readonly [offset: number, length: number]>();
  #end = 0;

  has(id: string): boolean {
    return this.#inUse.has(id) || this.#places.has(id);
  }

  get(id: string): Exchange | undefined {
    return this.#inUse.get(id) ?? this.#recall(id);
  }

  add(exchange: Exchange): void {
    this.#inUse.set(exchange.id, exchange);
  }

  /** Writes everything in use and lets go of it; `isData` tells whose body text must not be written. */
  settle(isData: (exchange: Exchange) => boolean): void {
    const lines: Buffer[] = [];
    let at = this.#end;
    for (const exchange of this.#inUse.values()) {
      if (this.#places.has(exchange.id)) continue;
      const line = Buffer.from(`${JSON.stringify(stored(exchange, !isData(exchange)))}\n`);
      this.#places.set(exchange.id, [at, line.length]);
      at += line.length;
      lines.push(line);
    }
    const all = Buffer.concat(lines);
    for (let done = 0; done < all.length; )
      done += writeSync(this.#descriptor, all, done, all.length - done, this.#end + done);
    this.#end = at;
    this.#inUse.clear();
  }

  /** Every settled exchange, in the order of settling. */
  async *exchanges(): AsyncGenerator<StoredExchange> {
    const file = await open(this.#file);
    try {
      for await (const line of file.readLines()) yield JSON.parse(line) as StoredExchange;
    } finally {
      await file.close().catch(() => {});
    }
  }

  dispose(): void {
    closeSync(this.#descriptor);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #recall(id: string): Exchange | undefined {
    const place = this.#places.get(id);
    if (!place) return undefined;
    const [offset, length] = place;
    const line = Buffer.alloc(length);
    readSync(this.#descriptor, line, 0, length, offset);
    const exchange = recalled(JSON.parse(line.toString('utf8')) as StoredExchange);
    this.#inUse.set(id, exchange);
    return exchange;
  }
}

const longestText = 16_384;

const stored = (exchange: Exchange, withText: boolean): StoredExchange => ({
  id: exchange.id,
  probe: exchange.probe,
  connection: exchange.connection,
  request: exchange.request,
  attempts: exchange.attempts.map((attempt) => storedAttempt(attempt, withText)),
});

const storedAttempt = ({ response, ...rest }: Attempt, withText: boolean): StoredAttempt => {
  if (!response) return rest;
  const { facts, text, ...head } = response;
  return {
    ...rest,
    response: {
      ...head,
      ...(withText && text !== null && text !== '' ? { body: text.slice(0, longestText) } : {}),
      shape: facts,
      size: facts.size,
      digest: facts.digest,
      truncated: facts.truncated || (text?.length ?? 0) > longestText,
    },
  };
};

/** A stored exchange as judges see it. */
export const recalled = (exchange: StoredExchange): Exchange => ({
  ...exchange,
  attempts: exchange.attempts.map(({ response, ...rest }): Attempt => {
    if (!response) return rest;
    const { body, shape, size: _size, digest: _digest, truncated: _truncated, ...head } = response;
    return { ...rest, response: { ...head, facts: shape, text: body ?? null } };
  }),
});
