import type { Contract } from '../contract/model.js';
import { type Selectable, selects } from '../engine/plan.js';
import type { OtherChecks } from '../engine/run.js';
import type { KeyPageOutcome, KeyPageSettings, Opens } from '../keypage/index.js';
import { sameAnswer } from '../rules/oracle/compare.js';
import { answerOf } from '../rules/oracle/controls.js';
import { onlyScheme } from '../rules/probes.js';
import type { Target } from '../target/target.js';
import type { Exchange, Probe } from '../wire/types.js';
import { UsageError } from './command.js';

/** A check of the key page, as a selector sees it. */
const selectable = (rule: string, clauses: readonly string[]): Selectable => ({
  id: `${rule}@key-page`,
  rule: { id: rule, clauses, gaps: ['GAP-KEY-LIFE'] },
  operation: 'key-page',
});

/** What the protected operation says to a key, compared with what it says to none. */
const opened = (keyed: Exchange, anonymous: Exchange): Opens => {
  const withKey = answerOf(keyed);
  const without = answerOf(anonymous);
  if (!withKey || !without) return 'unknown';
  if (sameAnswer(withKey, without)) return 'refused';
  if (withKey.status >= 200 && withKey.status < 300) return 'granted';
  return withKey.status === 429 || withKey.status >= 500 ? 'unknown' : 'refused';
};

interface KeyPageRequest {
  readonly contract: Contract;
  readonly target: Target;
  /** `undefined` when the key page was not asked for: its checks are then excluded, with this reason. */
  readonly settings: KeyPageSettings | undefined;
  readonly whyNot: string;
  readonly only: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly screenshotsDir: string;
}

/**
 * The checks of the key page, for `runConformance`; `undefined` when nobody would miss them.
 * @throws {UsageError} when keys from the page cannot be tried on any operation of the contract
 */
export const keyPageChecksOf = async (request: KeyPageRequest): Promise<OtherChecks | undefined> => {
  const { contract, target, settings, only } = request;
  const { excludedKeyPage, judgeKeyPage, keyPageChecks } = await import('../keypage/index.js');
  const wanted = (rule: string, clauses: readonly string[]): boolean =>
    only === undefined || only.some((selector) => selects(selector, selectable(rule, clauses)));
  const speaksOfIt = contract.clauses.some(({ id }) =>
    keyPageChecks.some(({ clauses }) => clauses.some((own) => own === id)),
  );
  if (!keyPageChecks.some(({ rule, clauses }) => wanted(rule, clauses))) return undefined;
  if (!settings && !speaksOfIt) return undefined;

  const chosen = ({ findings, observations }: KeyPageOutcome) => ({
    findings: findings.filter(({ rule, clauses }) => wanted(rule, clauses)),
    observations: observations.map((observation) => ({ ...observation, gap: 'GAP-KEY-LIFE' })),
  });
  if (!settings) return async () => chosen({ findings: excludedKeyPage(request.whyNot), observations: [] });

  const operation = contract.operations.find(
    (candidate) => candidate.access === 'protected' && onlyScheme(candidate)?.in === 'header',
  );
  const scheme = operation && onlyScheme(operation);
  if (!operation || !scheme)
    throw new UsageError(
      'the contract has no operation on which a key from the key page could be tried.',
      'run without --key-page',
    );

  return async ({ keys, send }) => {
    let round = 0;
    const read = (name: string, headers: Probe['headers']): Promise<Exchange> =>
      send({
        operation: 'key-page',
        name,
        method: operation.method,
        origin: target.origin,
        target: target.basePath + operation.target,
        headers: [...operation.headers, ...headers],
        connection: 'fresh',
        protocol: 'http/1.1',
        round,
      });
    const outcome = await judgeKeyPage({
      settings,
      opens: async (key) => {
        // Each question is a request of its own: what a key opened before it was made says nothing of now.
        round += 1;
        const anonymous = await read('without a key', []);
        return opened(
          await read('with a key from the key page', [[scheme.field, scheme.prefix + keys.redact(key)]]),
          anonymous,
        );
      },
      learn: (secret, placeholder) => keys.learn(secret, placeholder),
      redact: (text) => keys.redact(text),
      signal: request.signal,
      screenshotsDir: request.screenshotsDir,
    });
    return chosen(outcome);
  };
};
