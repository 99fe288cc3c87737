import type { Exchange, Response } from '../../wire/types.js';
import type { Controls } from '../oracle/controls.js';
import type { Unusable } from '../oracle/usable-controls.js';
import type { Ask, OperationSubject } from '../rule.js';
import { because, type Cause } from '../support/judgement.js';

/** The result of a documented request that did not open the operation. */

export interface Explained {
  readonly cause: Cause;
  readonly reason: string;
}

export interface NotOpened extends Explained {
  /** `refused`: the key or the server is wrong, which cannot be told from outside. */
  readonly state: 'nothing-there' | 'refused' | 'unjudgeable';
  readonly controls: Controls;
  /** The exchange that opened the operation in another way. */
  readonly opened?: Exchange;
}

export interface UnopenedRequest {
  readonly ask: Ask;
  readonly subject: OperationSubject;
  readonly controls: Controls;
  /** The answer to the first keyed read. */
  readonly keyed: Response;
  /** The answer to the read without a key. */
  readonly anonymous: Response | undefined;
  readonly unusable: Unusable;
  /** The parameters that got values: `{id}, the query`. */
  readonly filled: string;
}

const as =
  (state: NotOpened['state']) =>
  (cause: Cause, reason: string): Why => ({ state, cause, reason });

/** Why the operation did not open. */
export type Why = Omit<NotOpened, 'controls'>;

export const unjudgeable = as('unjudgeable');
export const refused = as('refused');
export const nothingThere = as('nothing-there');

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

export const unusableControls = ({ why, words, values = [] }: Unusable, controls: Controls): NotOpened => ({
  state: 'unjudgeable',
  cause: because('control-unusable', why, ...values),
  reason: sentence(words),
  controls,
});
