import { isOpen } from '../../src/engine/outcomes.js';
import { judgeDocument } from '../selftest/support/document-server.js';
import { withFiles } from '../selftest/support/documents.js';
import { type AccountSpec, accountSpec, brokenBy, holders } from './account-spec.js';
import { type AccountKeys, accountFiles, accountHandler } from './accounts.js';
import { hexOf, randomOf } from './random.js';
import { wrongIn } from './wrong-outcomes.js';

/** Judges generated services with several accounts by AUTH-5 and AUTH-6, over TLS. */

interface JudgedAccounts {
  readonly label: 'conforming' | 'faulty';
  /** A kept clause failed, or the broken one passed. */
  readonly wrong?: string;
  /** Nothing failed, and a check is open. */
  readonly unclear?: true;
}

const clauses = ['AUTH-5', 'AUTH-6'];

export const judgeAccounts = async (spec: AccountSpec): Promise<JudgedAccounts> => {
  const random = randomOf(`${spec.seed} keys`);
  const keys = Object.fromEntries(holders.map((name) => [name, `${name}-${hexOf(random, 20)}`])) as AccountKeys;
  const { document, identities } = accountFiles(spec);
  const { results } = await withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(document, accountHandler(spec, keys), {
      only: clauses,
      settings: {
        API_KEY: keys.ada,
        BEN_KEY: keys.ben,
        CAROL_KEY: keys.carol,
        DAVE_KEY: keys.dave,
        IDENTITIES: path('identities.yaml'),
      },
    }),
  );
  const broken = brokenBy(spec.fault);
  const label = broken === undefined ? 'conforming' : 'faulty';
  const checks = results.checks.filter((check) => check.clauses.some((clause) => clauses.includes(clause)));
  const wrong = wrongIn(checks, broken);
  const isUnclear =
    checks.every(({ outcome }) => outcome !== 'failed') && checks.some(({ outcome }) => isOpen(outcome));
  if (wrong !== undefined) return { label, wrong: `${wrong}\n${JSON.stringify(spec)}` };
  return isUnclear ? { label, unclear: true } : { label };
};

export interface AccountTally {
  readonly counts: Record<JudgedAccounts['label'] | 'conformingUnclear' | 'faultyUnclear', number>;
  readonly wrong: string[];
}

export const tallyAccounts = async (seed: string, goOn: (count: number) => boolean): Promise<AccountTally> => {
  const tally: AccountTally = {
    counts: { conforming: 0, faulty: 0, conformingUnclear: 0, faultyUnclear: 0 },
    wrong: [],
  };
  for (let count = 0; goOn(count); count += 1) {
    const { label, wrong, unclear } = await judgeAccounts(accountSpec(seed, count));
    tally.counts[label] += 1;
    if (unclear) tally.counts[`${label}Unclear`] += 1;
    if (wrong !== undefined) tally.wrong.push(wrong);
  }
  return tally;
};
