import { test } from './bare-test.js';
import type { Session } from './session.js';

const tagOf = ({ project }: Session): string => `@target-${project}`;

/** The Playwright project of a deployment: its own tests, by their tag. */
export const projectOf = (session: Session): { readonly name: string; readonly grep: RegExp } => ({
  name: session.project,
  grep: new RegExp(`${tagOf(session).replaceAll('.', '\\.')}(?![a-z0-9.-])`),
});

/** Declares the tests of each deployment, as its project finds them. */
export const forEachTarget = (sessions: readonly Session[], declare: (session: Session) => void): void => {
  for (const session of sessions)
    if (session.project === '') declare(session);
    else test.describe(session.target.name, { tag: tagOf(session) }, () => declare(session));
};
