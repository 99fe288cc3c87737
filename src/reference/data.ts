/** The data of the service, the same at every start. The people are fictional. */

export interface Exercise {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly category: string;
  readonly equipment: readonly string[];
}

interface Ingredient {
  readonly id: number;
  readonly name: string;
  readonly energy_kcal: number;
  readonly protein_g: number;
  readonly fat_g: number;
  readonly carbohydrates_g: number;
}

export interface Workout {
  readonly id: number;
  readonly uuid: string;
  readonly date: string;
  readonly name: string;
  readonly comment: string;
  readonly impression: string;
  readonly minutes: number;
  readonly sets: readonly { readonly exercise: number; readonly repetitions: number; readonly weight_kg: number }[];
}

const uuidOf = (family: number, n: number): string =>
  `${family.toString(16).padStart(8, '0')}-7c4e-4b1a-9f${(n % 256).toString(16).padStart(2, '0')}-${(n * 7_919_003_111 + family).toString(16).padStart(12, '0')}`;

export const exercises: readonly Exercise[] = (
  [
    ['Back squat', 'Legs', ['Barbell', 'Rack']],
    ['Front squat', 'Legs', ['Barbell', 'Rack']],
    ['Bulgarian split squat', 'Legs', ['Dumbbell', 'Bench']],
    ['Romanian deadlift', 'Legs', ['Barbell']],
    ['Conventional deadlift', 'Back', ['Barbell']],
    ['Pendlay row', 'Back', ['Barbell']],
    ['Chin-up', 'Back', ['Pull-up bar']],
    ['Face pull', 'Shoulders', ['Cable']],
    ['Overhead press', 'Shoulders', ['Barbell']],
    ['Lateral raise', 'Shoulders', ['Dumbbell']],
    ['Bench press', 'Chest', ['Barbell', 'Bench']],
    ['Dip', 'Chest', ['Parallel bars']],
    ['Hanging leg raise', 'Abs', ['Pull-up bar']],
    ['Copenhagen plank', 'Abs', ['Bench']],
  ] as const
).map(([name, category, equipment], index) => ({
  id: 101 + index,
  uuid: uuidOf(0xe0, index + 1),
  name,
  category,
  equipment,
}));

export const ingredients: readonly Ingredient[] = (
  [
    ['Rolled oats', 372, 13.5, 7, 58.7],
    ['Skyr, plain', 63, 11, 0.2, 4],
    ['Red lentils, dried', 352, 24.6, 2.2, 56],
    ['Buckwheat groats', 346, 11.7, 2.7, 71],
    ['Rapeseed oil', 884, 0, 100, 0],
    ['Wild blueberries', 57, 0.7, 0.3, 14.5],
    ['Hazelnuts', 644, 15, 61.6, 10.5],
    ['Smoked mackerel', 305, 19, 25, 0],
    ['Kohlrabi', 27, 1.7, 0.1, 6.2],
    ['Rye sourdough bread', 217, 6, 1.2, 45],
    ['Firm tofu', 144, 17.3, 8.7, 2.8],
  ] as const
).map(([name, energy_kcal, protein_g, fat_g, carbohydrates_g], index) => ({
  id: 4001 + index,
  name,
  energy_kcal,
  protein_g,
  fat_g,
  carbohydrates_g,
}));

export const diary = (
  family: number,
  entries: readonly (readonly [date: string, name: string, comment: string])[],
): Workout[] =>
  entries.map(([date, name, comment], index) => ({
    id: family * 1000 + 811 + index * 7,
    uuid: uuidOf(family, index + 1),
    date,
    name,
    comment,
    impression: ['bad', 'neutral', 'good'][(index * 5 + family) % 3] ?? 'good',
    minutes: 38 + ((index * 17 + family) % 41),
    sets: [0, 1, 2].map((set) => ({
      exercise: 101 + ((index * 3 + set + family) % exercises.length),
      repetitions: 5 + ((index + set * 2) % 7),
      weight_kg: 37.5 + ((index * 5 + set * 2 + family) % 20) * 2.5,
    })),
  }));

/** Workouts of the two users who have a key at the start. Users of new keys have none. */
const workouts: Readonly<Record<string, readonly Workout[]>> = {
  mara: diary(21, [
    ['2025-03-03', 'Monday legs', 'Left knee clicked on the third set, stopped early and iced it'],
    ['2025-03-05', 'Push at lunch', 'Jonas spotted me; finally 52.5 for a clean triple'],
    ['2025-03-07', 'Pull, late', 'Slept four hours because of the night shift, everything felt heavy'],
    ['2025-03-10', 'Legs again', 'Physiotherapist says no deep squats until the end of the month'],
    ['2025-03-12', 'Hotel gym', 'Only dumbbells up to twenty in the Ghent hotel, did high repetitions'],
    ['2025-03-14', 'Pull', 'Chin-ups without the band for the first time since the surgery'],
    ['2025-03-17', 'Light day', 'Resting pulse 61, a bit of a cold, kept it under forty minutes'],
    ['2025-03-19', 'Push', 'New shoes, wobbly; wrists sore after the handstand class on Tuesday'],
    ['2025-03-21', 'Deadlift test', 'One hundred kilos! Mum filmed it from the wrong side of course'],
    ['2025-03-24', 'Deload', 'Half the weight of last week, as written in the plan by Ilse'],
    ['2025-03-26', 'Legs, careful', 'Knee fine with the box at thirty-eight centimetres'],
    ['2025-03-28', 'Pull and abs', 'Skipped the planks, train to Bruges left at six'],
  ]),
  tomas: diary(34, [
    ['2025-03-04', 'Oberkörper', 'Rechte Schulter zwickt noch vom Umzug am Wochenende'],
    ['2025-03-08', 'Beine', 'Kniebeugen mit der neuen Stange im Keller, Nachbar hat geklopft'],
    ['2025-03-11', 'Rücken', 'Kreuzheben 140, Bestwert seit dem Bandscheibenvorfall'],
    ['2025-03-15', 'Ganzkörper', 'Mit Lea im Park, Ringe am Ast festgemacht'],
  ]),
};

export const workoutsOf = (owner: string | undefined): readonly Workout[] => workouts[owner ?? ''] ?? [];
