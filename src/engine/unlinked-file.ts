import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A temporary file that only this user can read. It is unlinked immediately where the system allows
 * that, so that nothing remains however the process ends.
 */
export class UnlinkedFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'access-conformance-'));
  readonly descriptor = openSync(join(this.#folder, 'lines.jsonl'), 'wx+', 0o600);

  constructor() {
    try {
      this.#removeFolder();
    } catch {
      // Windows keeps the name of an open file; `close` removes it.
    }
  }

  /** @param at offset in bytes; the end of the file when absent */
  write(bytes: Buffer, at?: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.descriptor, bytes, done, bytes.length - done, at === undefined ? null : at + done);
  }

  close(): void {
    closeSync(this.descriptor);
    this.#removeFolder();
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
