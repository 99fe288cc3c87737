import { existsSync, readFileSync } from 'node:fs';
import { sharesOf } from '../engine/budget/shares.js';
import { keyPageOperation } from '../engine/key-page.js';
import { plannedContract } from '../engine/values/planned.js';
import { operationForKeys } from '../keypage/try-key.js';
import { runFile, writeWhole } from './run-folder.js';
import type { Session } from './session.js';

/**
 * What each operation and the key page may send of MAX_REQUESTS; `undefined` without a limit. No
 * process knows what the others send. It is computed once a run.
 */
const sharesIn = (session: Session): ReadonlyMap<string, number> | undefined => {
  const { project, contract, checks, seed, settings, target } = session;
  const { maxRequests } = target;
  if (maxRequests === undefined) return undefined;
  const file = runFile(project, 'shares.json');
  if (!existsSync(file)) {
    const like = settings.values.KEY_PAGE_URL === undefined ? undefined : operationForKeys(contract);
    const shares = sharesOf({
      checks,
      operations: plannedContract(contract, seed).operations,
      budget: { ...target, maxRequests },
      beside: like && new Map([[keyPageOperation, like.id]]),
    });
    writeWhole(file, JSON.stringify([...shares]));
  }
  return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, number][]);
};

type Limited = Pick<Session['target'], 'maxRequests'>;

/** The limit of the run that judges one operation, or the key page. */
export const limitOf = (session: Session, operation: string): Limited => {
  const shares = sharesIn(session);
  return shares ? { maxRequests: shares.get(operation) ?? 0 } : {};
};

/** The limit of the run of all selected checks but the key page's; of a shard, what is its own. */
export const limitOfRun = (session: Session, ids: ReadonlySet<string>, isShard: boolean): Limited => {
  const shares = sharesIn(session);
  const { maxRequests = 0 } = session.target;
  if (!shares) return {};
  if (!isShard) return { maxRequests: maxRequests - (shares.get(keyPageOperation) ?? 0) };
  const own = new Set(session.checks.flatMap(({ id, operation }) => (ids.has(id) ? [operation] : [])));
  return { maxRequests: [...own].reduce((sum, id) => sum + (shares.get(id) ?? 0), 0) };
};
