import { keyPageOperation } from '../app/key-page.js';
import { judge, keep } from './judge-operation.js';
import { openSessions } from './session.js';

/**
 * Judges the key page of a session and leaves what was found where its worker looks for it. Playwright loads this as a configuration, which makes
 * it run as TypeScript and as JavaScript alike, and there is nothing to run after it.
 */
process.once('disconnect', () => process.exit());
const { sessions } = await openSessions();
const session = sessions.find(({ project }) => project === process.env.ACCESS_CONFORMANCE_PROJECT);
if (!session) throw new TypeError('the worker names one of the sessions');
keep(session, keyPageOperation, await judge(session, keyPageOperation));
process.exit(0);
