import type { Contract } from '../contract/model.js';
import { answerOf } from '../rules/oracle/answers.js';
import type { Deployment } from '../rules/rule.js';
import { firstAnswered } from '../rules/serves-https.js';
import { judgeThrough, type Sender } from './ask.js';

/** Whether the first request of the run got any HTTP answer. */
export const reach = async (contract: Contract, deployment: Deployment, sender: Sender): Promise<boolean> => {
  let reached = false;
  await judgeThrough((ask) => {
    const exchange = firstAnswered(ask, { contract, deployment });
    reached = answerOf(exchange) !== undefined;
    return { outcome: 'observed', reason: '', exchanges: [exchange] };
  }, sender);
  return reached;
};
