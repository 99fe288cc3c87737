import { keyPageOperation } from '../engine/key-page.js';
import { judge, keep } from './judge-operation.js';
import { openSessions } from './session.js';

/**
 * The child process: judges the key page of a session and writes the result for its worker.
 * Playwright loads this file as a configuration, so it runs as TypeScript and as JavaScript.
 */
process.once('disconnect', () => process.exit());
const { sessions } = await openSessions();
const session = sessions.find(({ project }) => project === process.env.ACCESS_CONFORMANCE_PROJECT);
if (!session) throw new TypeError('the worker names one of the sessions');
keep(session, keyPageOperation, await judge(session, keyPageOperation));
process.exit(0);
