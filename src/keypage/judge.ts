import { headlineIn } from '../engine/finding.js';
import type { Finding } from '../engine/results.js';
import { restingOn } from '../rules/causes.js';
import { rules } from '../rules/index.js';
import type { KeyPageRecord } from '../rules/key-page/record.js';
import type { Judgement } from '../rules/rule.js';
import type { KeyPageObservation } from './input.js';

const keyPageRules = rules.filter((rule) => rule.scope === 'key-page');

/** Check id of a rule on the key page. */
export const checkOf = (rule: string): string => `${rule}@key-page`;

const findingOf = (rule: (typeof keyPageRules)[number], judgement: Judgement): Finding => {
  const { id, clauses, title } = rule;
  const { outcome, reason, cause, note, expected, seen, blockedBy } = judgement;
  return {
    id: checkOf(id),
    rule: id,
    clauses,
    operation: 'key-page',
    title,
    outcome,
    reason,
    ...(cause === undefined ? {} : { cause }),
    ...headlineIn(rule, judgement),
    ...(note === undefined ? {} : { note }),
    ...(expected === undefined ? {} : { expected }),
    ...(seen === undefined ? {} : { seen }),
    ...(blockedBy === undefined ? {} : restingOn(blockedBy)),
    exchanges: [],
    comparedWith: [],
    durationMs: 0,
  };
};

/** Judges a recorded walk. Pure. */
export const judgeRecord = (record: KeyPageRecord): { findings: Finding[]; observations: KeyPageObservation[] } => {
  const judged = keyPageRules.map((rule) => ({ rule, judgement: rule.judge(record) }));
  return {
    findings: judged.map(({ rule, judgement }) => findingOf(rule, judgement)),
    observations: judged.flatMap(({ rule, judgement: { facts = [] } }) =>
      facts.map(({ fact }) => ({ check: checkOf(rule.id), fact, exchanges: [] })),
    ),
  };
};

/** The findings of a run that was not asked to look at the key page. */
export const excludedKeyPage = (reason: string): Finding[] =>
  keyPageRules.map((rule) => findingOf(rule, { outcome: 'excluded', reason, exchanges: [] }));
