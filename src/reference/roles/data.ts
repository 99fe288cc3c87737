import { diary, workoutsOf as diaryOf, exercises } from '../data.js';

/** The data of the accounts, the same at every start. Ids of workouts are UUIDs. */

export interface Owned {
  readonly id: string | number;
  /** Name of the account; `null` for rows that belong to everybody. */
  readonly owner: string | null;
}

const diaries: Readonly<Record<string, ReturnType<typeof diary>>> = {
  mara: [...diaryOf('mara')],
  tomas: [...diaryOf('tomas')],
  ilse: diary(55, [
    ['2025-03-06', 'Rowing machine', 'Steady 5 km while the evening class ran next door'],
    ['2025-03-13', 'Mobility', 'Hips and ankles, filmed it for the new members'],
    ['2025-03-20', 'Swim', 'Forty lengths, the last ten with the pull buoy'],
  ]),
};

const accountNames = Object.keys(diaries);

/** All workouts, account by account. */
export const workouts: readonly Owned[] = Object.entries(diaries).flatMap(([owner, rows]) =>
  rows.map(({ uuid, id: _, ...row }) => ({ id: uuid, owner, ...row })),
);

/** All readings of devices, account by account. */
export const measurements: readonly Owned[] = accountNames.flatMap((owner, account) =>
  Array.from({ length: 5 - account }, (_, index) => ({
    id: 70_301 + account * 1000 + index * 13,
    owner,
    taken_at: `2025-03-${String(3 + index * 4 + account).padStart(2, '0')}T06:${String(12 + index * 7).padStart(2, '0')}:00Z`,
    pulse: 52 + account * 5 + ((index * 7) % 11),
    weight_kg: 61.4 + account * 9.3 - index * 0.4,
  })),
);

/** Statistics over all members, for auditors. */
export const reports: readonly object[] = [10, 11, 12, 13].map((week, index) => ({
  id: 9041 + index * 3,
  week: `2025-W${week}`,
  members: 1204 + index * 17,
  workouts: 4810 + ((index * 391) % 700),
  minutes: 240_512 + index * 8_733,
}));

/** The catalogue: the same rows for every caller who may read it. */
export const catalogue: readonly object[] = exercises;

/** Shared workouts without an owner, which a variant shows to every member. */
export const plans: readonly Owned[] = [
  ['3f0b6c1d-52aa-4e0f-b1c7-8d9be02f4a11', 'Plan: first four weeks', 35],
  ['a86e90d2-0c3b-47f1-9d54-c2b7f61e5d08', 'Plan: back to lifting', 45],
].map(([id, name, minutes]) => ({
  id: String(id),
  owner: null,
  date: '2025-01-01',
  name,
  comment: 'For everybody; copy it into your diary',
  minutes,
}));
