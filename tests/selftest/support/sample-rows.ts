/** Rows of a public list. */
export const exercises = [...'abcdef'].map((letter, index) => ({ id: index + 1, name: `Exercise ${letter}` }));

/** Rows that only the key's owner gets. */
export const workouts = exercises.map(({ id }) => ({ id: 4000 + id * 37, date: `2025-03-${10 + id}`, kg: 40.5 + id }));
