/** What one look of the doctor found. `trouble` will spoil a run, `doubt` may. */
export interface Diagnosis {
  /** What was looked at, two or three words. */
  readonly what: string;
  readonly state: 'well' | 'doubt' | 'trouble' | 'skipped';
  readonly says: string;
  /** What to do, where something is not well. */
  readonly advice?: string;
}

export const well = (what: string, says: string): Diagnosis => ({ what, state: 'well', says });
export const doubt = (what: string, says: string, advice: string): Diagnosis => ({
  what,
  state: 'doubt',
  says,
  advice,
});
export const trouble = (what: string, says: string, advice: string): Diagnosis => ({
  what,
  state: 'trouble',
  says,
  advice,
});
export const skipped = (what: string, says: string): Diagnosis => ({ what, state: 'skipped', says });
