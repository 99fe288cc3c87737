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

/** The other lines of a journal. The last line of a check counts. */
export interface JournalEntry {
  readonly finding: Finding;
  readonly observations: readonly Observation[];
  readonly requestsSent: number;
}

/** Size of the blocks in which the first lines are written, in bytes. */
const blockSize = 262_144;

/**
 * The findings of a run so far, in a file that another thread of this process can read while this
 * one is blocked. Each finding is written at once: what waits for the end of the event loop's turn
 * is lost if the turn never ends.
 */
export class Journal {
  readonly #file = new UnlinkedFile();
  #lost = false;

  get descriptor(): number {
    return this.#file.descriptor;
  }

  /**
   * @param unjudged every check as it is told of where the run does not come to it, in the order of
   * the results
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
      // A full disk is no reason to end a run that needs the journal only when it hangs.
      this.#lost = true;
    }
  }
}

const lineOf = (entry: JournalEntry): string => `${JSON.stringify(entry)}\n`;
