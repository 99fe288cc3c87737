import type { OtherChecks } from '../engine/run.js';
import { keyPageIn } from '../keypage/checks.js';
import { checkOf, excludedKeyPage, keyPageChecks } from '../keypage/judge.js';
import { operationForKeys } from '../keypage/opens.js';
import { readKeyPage } from '../settings/key-page.js';
import type { Session } from './session.js';

/** Stands in the place of an operation in the findings of the key page. */
export const keyPageOperation = 'key-page';

/** The checks of the key page that a session has: none where the contract says nothing of one and none was named. */
export const keyPageTests = ({ contract, settings }: Session) =>
  settings.values.KEY_PAGE_URL !== undefined || contract.clauses.some(({ id }) => id.startsWith('PAGE-'))
    ? keyPageChecks.map((check) => ({ ...check, id: checkOf(check.rule) }))
    : [];

/** Judges the key page as a part of a run; excluded, with the reason, where nobody named one. */
export const keyPageOthers = (
  { contract, target, settings }: Session,
  onEnded: (settings: readonly string[]) => void,
): OtherChecks => {
  const page = readKeyPage(settings);
  const whyNot =
    page === undefined
      ? 'The key page was not asked for; KEY_PAGE_URL names it.'
      : operationForKeys(contract) === undefined
        ? 'The contract has no operation on which a key from the key page could be tried.'
        : undefined;
  if (page === undefined || whyNot !== undefined)
    return async () => ({ findings: excludedKeyPage(whyNot ?? ''), observations: [] });
  return keyPageIn({
    contract,
    target,
    settings: page,
    onEnded,
    screenshotsDir: `${settings.values.REPORTS_DIR}/conformance`,
  });
};
