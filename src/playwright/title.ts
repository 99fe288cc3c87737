/**
 * A test's title: clauses or gaps, the rule's sentence, the check's id. Playwright takes what
 * follows an `@` up to the next space for a tag, so the id stands last and bare: its tag is the
 * operation (`@listWorkouts`).
 */
export const titleOf = ({ id, title, of }: { id: string; title: string; of: readonly string[] }): string =>
  `${of.join(', ')} ${title} · ${id}`;
