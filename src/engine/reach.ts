import type { Contract } from '../contract/model.js';
import { answerOf } from '../rules/oracle/answers.js';
import type { Deployment } from '../rules/rule.js';
import { firstAnswered } from '../rules/serves-https.js';
import type { Exchange } from '../wire/types.js';
import { judgeThrough, type Sender } from './ask.js';

/** The first exchange of the run; `undefined` if it got no HTTP answer. */
export const reach = async (
  contract: Contract,
  deployment: Deployment,
  sender: Sender,
): Promise<Exchange | undefined> => {
  let reached: Exchange | undefined;
  await judgeThrough((ask) => {
    const exchange = firstAnswered(ask, { contract, deployment });
    reached = answerOf(exchange) ? exchange : undefined;
    return { outcome: 'observed', reason: '', exchanges: [exchange] };
  }, sender);
  return reached;
};
