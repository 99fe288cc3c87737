import type { Contract, Operation } from '../../contract/model.js';
import { answerOf, isSuccess } from '../../rules/oracle/answers.js';
import { anonymousControls, keyedControl } from '../../rules/oracle/control-requests.js';
import { isSame } from '../../rules/oracle/same.js';
import { withTheKey } from '../../rules/public-resource/public-reads.js';
import type { Deployment, OperationSubject } from '../../rules/rule.js';
import { requestWithoutKey } from '../../rules/support/requests.js';
import { canSendKey } from '../../rules/support/subjects.js';
import type { Inspect } from '../../wire/answer-reader.js';
import { parseBody } from '../../wire/body-parser.js';
import { exchangeId, type Probe } from '../../wire/types.js';
import type { Sender } from '../ask.js';
import { KeyEnded } from '../live-keys/key-watch.js';

/** Reads operations whose answers may have values for the parameters of others. */

export interface ReadAnswer {
  readonly status: number;
  /** A success that a path that does not exist does not get, without the key. */
  readonly opens: boolean;
  /** The body of a success as one structure, if its format has one. */
  readonly body?: unknown;
}

/**
 * Reads operations as the controls do, each once, with the requests without a key and with a random
 * key first. It sends only requests that the run would send anyway. Bodies stay in memory until
 * `forget` is called.
 */
export class OperationReader {
  readonly #deployment: Deployment;
  readonly #sender: Sender;
  readonly #bodies = new Map<string, unknown>();
  readonly #awaited = new Set<string>();

  constructor(deployment: Deployment, sender: Sender) {
    this.#deployment = deployment;
    this.#sender = sender;
  }

  /** Receives complete answers before their data is removed for storage. */
  inspect(probe: Probe, answer: Parameters<Inspect>[1]): void {
    if (this.#awaited.size === 0) return;
    const id = exchangeId(probe);
    if (!this.#awaited.has(id)) return;
    if (!answer.whole) return;
    // In the structure in which answers are compared, so that a pointer leads to the same place.
    const { tree, broken } = parseBody(answer.text(), answer.mediaType);
    if (!broken) this.#bodies.set(id, tree);
  }

  /**
   * Returns `undefined` where an operation cannot be read: its key is missing or has ended, or
   * nothing answered.
   */
  async read(operation: Operation, contract: Contract): Promise<ReadAnswer | undefined> {
    const subject: OperationSubject = { contract, deployment: this.#deployment, operation };
    const isProtected = operation.access === 'protected';
    if (operation.keyless !== undefined || (isProtected && !canSendKey(subject))) return undefined;
    const probe = isProtected ? keyedControl(subject, 1) : requestWithoutKey(subject);
    const unkeyed = anonymousControls(subject);
    if (isProtected) await this.#sender.send(unkeyed.map((each) => [each]));
    const id = exchangeId(probe);
    this.#awaited.add(id);
    try {
      await this.#sender.send([[probe]]);
    } catch (error) {
      if (error instanceof KeyEnded) return undefined;
      throw error;
    } finally {
      this.#awaited.delete(id);
    }
    const exchange = this.#sender.get(id);
    const answer = exchange && answerOf(exchange);
    if (!answer) return undefined;
    const { status } = answer;
    if (!isSuccess(answer)) return { status, opens: false };
    const missing = isProtected ? this.#sender.get(exchangeId(unkeyed[1])) : undefined;
    return { status, opens: !missing || !isSame(answer, answerOf(missing)), body: this.#bodies.get(id) };
  }

  /** Whether the key opens a public operation. */
  async opensWithKey(operation: Operation, contract: Contract): Promise<boolean> {
    const probes = withTheKey({ contract, deployment: this.#deployment, operation }, false);
    try {
      await this.#sender.send(probes.map((probe) => [probe]));
    } catch (error) {
      if (error instanceof KeyEnded) return false;
      throw error;
    }
    return probes.some((probe) => {
      const exchange = this.#sender.get(exchangeId(probe));
      return exchange !== undefined && isSuccess(answerOf(exchange));
    });
  }

  forget(): void {
    this.#bodies.clear();
    this.#awaited.clear();
  }
}
