import type { Explain, Explanation } from '../report/explain.js';
import { keyPage } from './explain/key-page.js';
import { observations } from './explain/observations.js';
import { ownWay } from './explain/own-way.js';
import { publicOnes } from './explain/public.js';
import { transport } from './explain/transport.js';
import { withoutKey } from './explain/without-key.js';

/** By rule id: what each rule asks, sends, and how it judges, for somebody who has a server to mend. */
export const explanations: ReadonlyMap<string, Explanation> = new Map(
  [transport, ownWay, withoutKey, publicOnes, observations, keyPage].flatMap((family) => Object.entries(family)),
);

export const explain: Explain = (ruleId) => explanations.get(ruleId);
