import type { Contract } from '../contract/model.js';
import type { ResultsHead } from './build-results.js';
import type { Finding, Observation } from './results.js';
import { UnlinkedFile } from './unlinked-file.js';

/** The first line of a journal: the part of the results that does not depend on findings. */
export interface JournalHead {
  readonly results: ResultsHead;
  readonly clauses: Contract['clauses'];
  readonly gaps: Contract['gaps'];
  readonly strict: boolean;
}

/** Every other line of a journal. A later line of the same check replaces earlier ones. */
export interface JournalEntry {
  readonly finding: Finding;
  readonly observations: readonly Observation[];
  readonly requestsSent: number;
}

/** Size in bytes of the blocks in which the first lines are written. */
const blockSize = 262_144;

/**
 * Writes the findings of a run to a file that another thread can read while this one is blocked.
 * Each finding is written synchronously, since buffered data is lost if the event loop hangs.
 */
export class Journal {
  readonly #file = new UnlinkedFile();
  #lost = false;

  get descriptor(): number {
    return this.#file.descriptor;
  }

  /**
   * @param unjudged every check with the finding that it has if the run does not reach it, in the
   * order of the results
   */
  begin(head: JournalHead, unjudged: Iterable<Finding>): void {
    let block = `${JSON.stringify(head)}\n`;
    for (const finding of unjudged) {
      block += lineOf({ finding, observations: [], requestsSent: 0 });
      if (block.length < blockSize) continue;
      this.#write(block);
      block = '';
    }
    this.#write(block);
  }

  add(entry: JournalEntry): void {
    this.#write(lineOf(entry));
  }

  close(): void {
    this.#file.close();
  }

  #write(text: string): void {
    if (this.#lost) return;
    try {
      this.#file.write(Buffer.from(text));
    } catch {
      // The journal is needed only when a run hangs, so a full disk does not end the run.
      this.#lost = true;
    }
  }
}

const lineOf = (entry: JournalEntry): string => `${JSON.stringify(entry)}\n`;
