import type { Judgement } from '../rules/rule.js';
import type { SlicedChecks } from './budget/sliced-checks.js';
import { findingOf, observationsOf } from './finding.js';
import { createInterner } from './interner.js';
import { isBroken } from './outcomes.js';
import type { PlannedCheck } from './plan.js';
import type { Finding, Observation } from './results.js';

export interface FindingsParts {
  readonly strict: boolean;
  /** Called with each finding as soon as it is made. */
  readonly onFinding: (finding: Finding, observations: readonly Observation[]) => void;
}

/** The findings and observations of a run. */
export class Findings {
  readonly #parts: FindingsParts;
  readonly #byCheck = new Map<PlannedCheck, Finding>();
  readonly #interned = createInterner();
  #observations: Observation[] = [];
  /** Set once it is known which checks send a part of their battery. */
  sliced: SlicedChecks | undefined;

  constructor(parts: FindingsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#byCheck.size;
  }

  get observations(): readonly Observation[] {
    return this.#observations;
  }

  of(check: PlannedCheck): Finding | undefined {
    return this.#byCheck.get(check);
  }

  /** @param started from `performance.now()` */
  conclude(check: PlannedCheck, judgement: Judgement, started: number): void {
    // A lenient finding (outside STRICT) affects only the key's owner, so nothing more is sent.
    if (isBroken(judgement.outcome, this.#parts.strict)) this.sliced?.noteOpening(check, judgement);
    this.sliced?.noteBlockers(judgement);
    this.sliced?.noteBlocked(check, judgement);
    const finding = this.#interned(
      findingOf(check, judgement, performance.now() - started, this.sliced?.triedBy(check)),
    );
    this.#byCheck.set(check, finding);
    const observations = this.#observe(finding.id, judgement);
    this.#parts.onFinding(finding, observations);
  }

  /** Records what a check observed, without a finding. */
  observe(check: PlannedCheck, judgement: Pick<Judgement, 'facts'>): void {
    this.#observe(check.id, judgement);
  }

  #observe(check: string, judgement: Pick<Judgement, 'facts'>): readonly Observation[] {
    const observations = observationsOf(check, judgement).map((each) => this.#interned(each));
    this.#observations.push(...observations);
    return observations;
  }

  /** Drops all references: connections that are still closing keep the run in memory. */
  release(): void {
    this.#byCheck.clear();
    this.#observations = [];
    this.sliced = undefined;
  }

  /** Drops the findings of checks that are judged again. */
  forget(checks: readonly PlannedCheck[]): void {
    if (checks.length === 0) return;
    const ids = new Set(checks.map(({ id }) => id));
    for (const check of checks) this.#byCheck.delete(check);
    this.#observations = this.#observations.filter(({ check }) => !ids.has(check));
  }
}
