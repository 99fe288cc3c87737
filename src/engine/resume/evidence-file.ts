import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { sum } from '../../collections.js';
import type { Exchange } from '../../wire/types.js';
import { textAt, writeAt } from '../store/json-lines.js';

/** The file that a run keeps until it is complete, for `--resume`. */

/** The first line: what was judged, and what makes requests and digests of another run equal. */
interface EvidenceHead {
  readonly schemaVersion: 1;
  /** Values that have to be equal for the evidence to be usable, by name. */
  readonly identity: Readonly<Record<string, string>>;
  readonly seed: string;
  readonly salt: string;
  /** ISO 8601 */
  readonly startedAt: string;
}

/** Every other line: refusals that let a check pass. The last line of a check counts. */
export interface KeptCheck {
  readonly check: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Fingerprint of the operation's refusal of a request without a key at that time. */
  readonly refusal: string;
  /** Empty where the check has to be sent again. */
  readonly exchanges: readonly Exchange[];
}

/** Maximum size of the file in bytes: 1 GiB. */
const mostBytes = 2 ** 30;
const blockSize = 262_144;
const newline = 0x0a;

/** The start of a line, `{"check":"…","kept":12,`, gives its check without parsing the line. */
const lineStart = /^\{"check":"([^"\\]+)","kept":(\d+),/;

/**
 * The evidence of a run on disk, with which another run can resume it after an interruption. The
 * file outlives the process and is readable only by its owner. It contains the salt, with which
 * scalars can be guessed from digests, so it is not stored among the reports.
 */
export class EvidenceFile {
  readonly path: string;
  #head: EvidenceHead;
  #descriptor: number | undefined;
  #size = 0;
  /** Whether the head is known; nothing is written before. */
  #isReady = true;
  #isLost = false;
  readonly #lines = new Map<string, { readonly start: number; readonly length: number; readonly kept: number }>();

  private constructor(path: string, head: EvidenceHead) {
    this.path = path;
    this.#head = head;
  }

  /** A file for a new run, created when there is something to store. Replaces an older one. */
  static create(path: string, head: EvidenceHead, identity: Promise<EvidenceHead['identity']>): EvidenceFile {
    const file = new EvidenceFile(path, head);
    file.#isReady = false;
    identity.then(
      (known) => {
        file.#head = { ...head, identity: known };
        file.#isReady = true;
      },
      () => undefined,
    );
    return file;
  }

  /** Opens the file of an earlier run; `undefined` where there is no readable one. */
  static open(path: string): EvidenceFile | undefined {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
      const file = new EvidenceFile(path, { schemaVersion: 1, identity: {}, seed: '', salt: '', startedAt: '' });
      file.#descriptor = descriptor;
      if (file.#index()) return file;
    } catch {
      // Missing, or not a file of this format.
    }
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  }

  get head(): EvidenceHead {
    return this.#head;
  }

  /** Number of stored exchanges. */
  get kept(): number {
    return sum([...this.#lines.values()].map(({ kept }) => kept));
  }

  has(check: string): boolean {
    return (this.#lines.get(check)?.kept ?? 0) > 0;
  }

  read(check: string): KeptCheck | undefined {
    const line = this.#lines.get(check);
    if (!line || line.kept === 0 || this.#descriptor === undefined) return undefined;
    return JSON.parse(textAt(this.#descriptor, line.start, line.length)) as KeptCheck;
  }

  /**
   * Stores the evidence of a check in place of what was stored before. A file that is full stores
   * that the check has none, since what was stored before no longer holds.
   * @param exchanges each as JSON text
   */
  add({ check, at, refusal }: Omit<KeptCheck, 'exchanges'>, exchanges: readonly string[]): void {
    if (!this.#lines.has(check) && exchanges.length === 0) return;
    const lineOf = (kept: readonly string[]): Buffer => {
      const words = `"kept":${kept.length},"at":${at},"refusal":${JSON.stringify(refusal)}`;
      return Buffer.from(`{"check":${JSON.stringify(check)},${words},"exchanges":[${kept.join(',')}]}\n`);
    };
    const whole = lineOf(exchanges);
    const kept = this.#size + whole.length > mostBytes ? [] : exchanges;
    const bytes = kept === exchanges ? whole : lineOf(kept);
    const start = this.#write(bytes);
    if (start !== undefined) this.#lines.set(check, { start, length: bytes.length - 1, kept: kept.length });
  }

  /** @param isDone whether the run is complete, so that the file is not needed any more */
  close(isDone: boolean): void {
    if (isDone) this.#remove();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** @returns the offset at which the bytes were written */
  #write(bytes: Buffer): number | undefined {
    if (this.#isLost || !this.#isReady) return undefined;
    try {
      this.#descriptor ??= this.#make();
      const start = this.#size;
      writeAt(this.#descriptor, bytes, start);
      this.#size += bytes.length;
      return start;
    } catch {
      // The file is needed only after an interruption, so a failed write does not end the run.
      // Without the line, the file says what no longer holds.
      this.#isLost = true;
      this.#lines.clear();
      this.#remove();
      return undefined;
    }
  }

  #make(): number {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    rmSync(this.path, { force: true });
    const descriptor = openSync(this.path, 'wx+', 0o600);
    const head = Buffer.from(`${JSON.stringify(this.#head)}\n`);
    writeAt(descriptor, head, 0);
    this.#size = head.length;
    return descriptor;
  }

  /** Removes the file, unless another run has replaced it by its own. */
  #remove(): void {
    if (this.#descriptor === undefined) return;
    try {
      const [own, there] = [fstatSync(this.#descriptor), statSync(this.path)];
      if (own.ino === there.ino && own.dev === there.dev) rmSync(this.path, { force: true });
    } catch {
      // The file was removed already.
    }
  }

  /** Indexes the lines. An incomplete last line, left by a killed process, is overwritten later. */
  #index(): boolean {
    let hasHead = false;
    let rest = Buffer.alloc(0);
    const block = Buffer.alloc(blockSize);
    for (let at = 0; ; ) {
      const read = readSync(this.#descriptor ?? -1, block, 0, blockSize, at);
      if (read === 0) return hasHead;
      at += read;
      rest = Buffer.concat([rest, block.subarray(0, read)]);
      for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
        if (!hasHead) {
          const head = JSON.parse(rest.subarray(0, end).toString('utf8')) as EvidenceHead;
          if (head.schemaVersion !== 1) return false;
          this.#head = head;
          hasHead = true;
        } else {
          const [, check, kept] = lineStart.exec(rest.subarray(0, Math.min(end, 1_024)).toString('utf8')) ?? [];
          if (check !== undefined) this.#lines.set(check, { start: this.#size, length: end, kept: Number(kept ?? 0) });
        }
        this.#size += end + 1;
        rest = rest.subarray(end + 1);
      }
    }
  }
}
