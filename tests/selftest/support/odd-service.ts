import { generatedSpec } from '../../generator/judged.js';
import type { Answer } from '../../generator/refusals.js';
import type { Service } from '../../generator/service.js';

/** A service that was thought of by hand: what the key gets, and what everybody else does. */

export const text = (contentType: string, body: string, status = 200): Answer => ({ status, contentType, body });
export const json = (tree: unknown, status = 200): Answer => text('application/json', JSON.stringify(tree), status);

export const unauthorized = json({ detail: 'No key.' }, 401);
export const notFound = json({ detail: 'Not found.' }, 404);
export const publicRows = json([
  { id: 9_101, name: 'Squat', created: '2019-03-04' },
  { id: 9_102, name: 'Press', created: '2019-05-04' },
]);

/** `isEverywhere`: the other protected operation answers in the same way. */
export const serviceOf = (keyed: Answer, open: Answer, isEverywhere: boolean): Service => ({
  spec: { ...generatedSpec('odd', 0), seed: 'odd', publics: 1, others: 1, layers: [] },
  opens: () => false,
  answer: ({ place, isKeyed }) => {
    if (place === 'operation') return isKeyed ? keyed : open;
    if (place === 'public') return publicRows;
    if (place !== 'other') return notFound;
    return isKeyed ? publicRows : isEverywhere ? open : unauthorized;
  },
});
