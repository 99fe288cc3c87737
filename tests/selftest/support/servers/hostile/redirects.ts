import { redirect } from '../../../../../src/reference/messages.js';
import { answering, type TestServerDefinition } from '../test-server.js';

/** Endless redirects and unusable Retry-After values. */

export const redirectAttacks: readonly TestServerDefinition[] = [
  {
    name: 'redirect-loop',
    title: 'Redirects every path to itself.',
    server: answering(({ target }) => redirect(302, target)),
  },
  {
    name: 'redirect-chain',
    title: 'Redirects to a new path every time, without end.',
    server: answering(({ path }) => redirect(307, `/step/${Number(/\d+$/.exec(path ?? '')?.[0] ?? 0) + 1}`)),
  },
  {
    name: 'redirect-to-odd-places',
    title: 'Redirects to addresses that are none.',
    server: answering(({ target }) => redirect(302, target.length % 2 ? 'https://[::1' : 'javascript:alert(1)//')),
  },
  {
    name: 'redirect-downgrade',
    title: 'Redirects to plain HTTP of the same host.',
    server: answering(({ target, headers }) =>
      redirect(302, `http://${headers.find(([name]) => name.toLowerCase() === 'host')?.[1]}${target}`),
    ),
  },
  {
    name: 'retry-after-forever',
    title: 'Answers 429 with a Retry-After that is no time at all.',
    server: answering(() => ({ status: 429, headers: [['Retry-After', '99999999999999999999']], body: '' })),
  },
  {
    name: 'retry-after-nonsense',
    title: 'Answers 429 with a Retry-After of a negative number or a bad date.',
    server: answering(({ target }) => ({
      status: 429,
      headers: [['Retry-After', target.length % 2 ? '-5' : 'Thu, 99 Nev 2026 99:99:99 GMT']],
      body: '',
    })),
  },
];
