import type { KeyPageRecord } from './record.js';

/** What somebody has to know before the next run. */
export const endedNote = ({ givenKey }: KeyPageRecord): string | undefined =>
  givenKey?.opens === 'refused'
    ? `THIS PRESS ENDED THE LIFE OF ${givenKey.setting}: it opened the API before and no longer does. Put the key that the page shows now into ${givenKey.setting}.`
    : undefined;
