import type { Probe } from '../../wire/types.js';

/** The result of one check of the setup. `trouble` prevents a useful run, `doubt` may. */
export interface Diagnosis {
  /** The subject of the check, two or three words. */
  readonly what: string;
  readonly state: 'well' | 'doubt' | 'trouble' | 'skipped';
  readonly says: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Diagnoses of one subject. */
export const about = (what: string) => ({
  well: (says: string): Diagnosis => ({ what, state: 'well', says }),
  doubt: (says: string, advice: string): Diagnosis => ({ what, state: 'doubt', says, advice }),
  trouble: (says: string, advice: string): Diagnosis => ({ what, state: 'trouble', says, advice }),
  skipped: (says: string): Diagnosis => ({ what, state: 'skipped', says }),
});

/** A request of the doctor's own: GET, without a key. */
export const plainProbe = (operation: string, name: string, origin: string, target: string): Probe => ({
  operation,
  name,
  method: 'GET',
  origin,
  target,
  headers: [],
  connection: 'shared',
  protocol: 'http/1.1',
  round: 1,
});
