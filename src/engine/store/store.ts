import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Exchange } from '../../wire/types.js';
import { DigestIndex, hexNumber } from './digest-index.js';
import { chunksOf, exchangesIn, writeAt } from './json-lines.js';
import {
  type IsPrivate,
  SharedTlsFacts,
  type StoredExchange,
  storedText,
  withSharedShapes,
} from './stored-exchange.js';

/** Keeps the exchanges of a run: in memory at first, then in a temporary file. */

/**
 * A temporary file that only this user can read. It is unlinked immediately where the system allows
 * that, so that nothing remains however the process ends.
 */
class UnlinkedFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'access-conformance-'));
  #descriptor: number | undefined = openSync(join(this.#folder, 'lines.jsonl'), 'wx+', 0o600);

  constructor() {
    try {
      this.#removeFolder();
    } catch {
      // Windows keeps the name of an open file; `close` removes it.
    }
  }

  get descriptor(): number {
    if (this.#descriptor === undefined) throw new Error('the exchanges of this run are gone: dispose() was called');
    return this.#descriptor;
  }

  /** Once: the number of a closed descriptor may be that of another file by now. */
  close(): void {
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#removeFolder();
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Lines start at multiples of this many bytes, so that 32 bits address a file of up to 64 GiB. */
const unit = 16;
const newline = 0x0a;
/** Bytes that are read at once to look up a line; most lines are shorter. */
const pieceSize = 4_096;

/** Size of the write buffer, in bytes. */
const blockSize = 262_144;
/** Maximum number of UTF-8 bytes of one UTF-16 code unit. */
const widest = 3;

/** Which exchanges are moved from memory to the file. */
interface Settling {
  /** Ids of judged operations; all when absent. */
  readonly operations?: Iterable<string>;
  /** Whether the body text of an exchange must not be written. */
  readonly isData: (exchange: Exchange) => boolean;
  /** Whether a header field of such an exchange must not be written. */
  readonly isPrivate?: IsPrivate;
  /** Whether an exchange may have to be forgotten, and so stays in memory. */
  readonly isOpen?: (id: string) => boolean;
}

/** Stores exchanges in memory while in use, else in a file, without private body texts. */
export class Store {
  readonly #file = new UnlinkedFile();
  readonly #inUse = new Map<string, Exchange>();
  /** The exchanges in memory, by operation. */
  readonly #ofOperation = new Map<string, Exchange[]>();
  /** The position of each exchange's line, in units, by exchange id. */
  readonly #lines = new DigestIndex(hexNumber);
  readonly #tls = new SharedTlsFacts();
  /** Total bytes of all lines; `#gathered` of them are not written yet. */
  #size = 0;
  readonly #block = Buffer.allocUnsafe(blockSize);
  #gathered = 0;
  readonly #piece = Buffer.allocUnsafe(pieceSize);

  /** Number of exchanges in memory. */
  get held(): number {
    return this.#inUse.size;
  }

  has(id: string): boolean {
    return this.#inUse.has(id) || this.#lines.has(id);
  }

  get(id: string): Exchange | undefined {
    return this.#inUse.get(id) ?? this.#recall(id);
  }

  add(exchange: Exchange): void {
    const { operation } = exchange.probe;
    const held = this.#ofOperation.get(operation);
    if (held) held.push(exchange);
    else this.#ofOperation.set(operation, [exchange]);
    this.#inUse.set(exchange.id, exchange);
  }

  /** Drops an exchange that is in memory, so that its probe is sent again. */
  forget(id: string): void {
    const exchange = this.#inUse.get(id);
    if (!exchange || this.#lines.has(id)) return;
    const { operation } = exchange.probe;
    this.#inUse.delete(id);
    this.#ofOperation.set(
      operation,
      (this.#ofOperation.get(operation) ?? []).filter((one) => one !== exchange),
    );
  }

  /** Moves exchanges from memory to the file. */
  settle({ operations = [...this.#ofOperation.keys()], isData, isPrivate, isOpen }: Settling): void {
    for (const operation of operations) {
      const open: Exchange[] = [];
      for (const exchange of this.#ofOperation.get(operation) ?? []) {
        if (isOpen?.(exchange.id)) {
          open.push(exchange);
          continue;
        }
        this.#inUse.delete(exchange.id);
        if (this.#lines.has(exchange.id)) continue;
        this.#lines.set(exchange.id, this.#size / unit);
        this.#append(storedText(exchange, { withText: !isData(exchange), isPrivate, tls: this.#tls }));
      }
      if (open.length > 0) this.#ofOperation.set(operation, open);
      else this.#ofOperation.delete(operation);
    }
    this.#write();
  }

  /** Appends one line, padded with spaces, which JSON allows. */
  #append(text: string): void {
    const most = text.length * widest + unit;
    if (most > blockSize - this.#gathered) this.#write();
    const block = most > blockSize ? Buffer.allocUnsafe(most) : this.#block;
    const end = this.#gathered + block.write(text, this.#gathered);
    const next = end + unit - (end % unit);
    block.fill(' ', end, next - 1);
    block[next - 1] = newline;
    this.#size += next - this.#gathered;
    this.#gathered = next;
    if (block !== this.#block) this.#write(block);
  }

  #write(block = this.#block): void {
    writeAt(this.#file.descriptor, block.subarray(0, this.#gathered), this.#size - this.#gathered);
    this.#gathered = 0;
  }

  /**
   * Settled exchanges, in the order of settling.
   * @param wanted ids; all when absent
   */
  async *exchanges(wanted?: ReadonlySet<string>): AsyncGenerator<Exchange> {
    for await (const stored of exchangesIn<StoredExchange>(chunksOf(this.#file.descriptor), wanted))
      yield this.#tls.restored(stored);
  }

  dispose(): void {
    this.#file.close();
  }

  #recall(id: string): Exchange | undefined {
    const start = this.#lines.get(id);
    if (start === undefined) return undefined;
    const stored = JSON.parse(this.#lineAt(start * unit)) as StoredExchange;
    const exchange = this.#tls.restored(withSharedShapes(stored));
    this.add(exchange);
    return exchange;
  }

  #lineAt(start: number): string {
    const pieces: Buffer[] = [];
    for (let at = start; at < this.#size; at += pieceSize) {
      const read = readSync(this.#file.descriptor, this.#piece, 0, pieceSize, at);
      const bytes = this.#piece.subarray(0, read);
      const end = bytes.indexOf(newline);
      if (end >= 0 && pieces.length === 0) return bytes.toString('utf8', 0, end);
      pieces.push(Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)));
      if (end >= 0) break;
    }
    return Buffer.concat(pieces).toString('utf8');
  }
}
