import type { Shape } from '../../wire/body-shape.js';
import type { Response } from '../../wire/types.js';
import type { Background } from './background.js';
import { objectsIn } from './contents.js';
import { fits, type View, viewLike } from './view.js';

export interface ComparedAnswer {
  readonly seen: Response;
  readonly background: Background;
  readonly view: View | undefined;
  /**
   * The answer has no structure to compare: it has none, or is HTML where the key gets another
   * format.
   */
  readonly foreign: boolean;
}

/** Whether an answer that opens nothing holds an object of this structure. */
export const isInNothing = ({ nothing }: Background, shape: Shape, strict = false): boolean =>
  nothing.some((one) => objectsIn(one.shape).some((other) => fits(other.shape, shape, strict)));

export const comparedAnswer = (seen: Response, background: Background): ComparedAnswer => {
  const { keyed } = background;
  const view = viewLike(seen.shape, keyed.view);
  const isPage = seen.shape.kind === 'html' && keyed.first.shape.kind !== 'html';
  return { seen, background, view, foreign: view === undefined || isPage };
};
