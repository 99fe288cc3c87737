import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OddPage, startOddPage } from './odd-page.js';

export interface HostilePage {
  /** Markup and scripts of the page that asks for name and password. */
  readonly login: string;
  /** The page itself, of a page that can be reached without a log-in. */
  readonly open?: true;
  /** How the log-in is answered; with the key page when not given. */
  readonly answer?: (response: ServerResponse) => void;
  /** The key page. */
  readonly page?: OddPage['page'];
  readonly make?: OddPage['make'];
  readonly handle?: OddPage['handle'];
}

export const loginForm = (attributes = 'method="post" action="/log-in"', button = '<button>Log in</button>'): string =>
  `<form ${attributes}><label>Username <input name="username"></label><label>Password <input type="password" name="password"></label>${button}</form>`;

export const keyPage: OddPage['page'] = ({ keys }) =>
  `<h1>API key</h1><p>${keys.at(-1) ?? 'You have no key yet.'}</p><form method="post" action="/key"><button>Generate API key</button></form>`;

/** A key page at `/key` that asks everybody to log in until somebody has. */
export const startHostilePage = async ({ login, answer, page = keyPage, make, handle }: HostilePage) => {
  let loggedIn = false;
  const started = await startOddPage({
    page: (state) => (loggedIn ? page(state) : login),
    ...(make ? { make } : {}),
    handle: (request: IncomingMessage, response, state, body) => {
      if (handle?.(request, response, state, body)) return true;
      if (request.method !== 'POST' || request.url !== '/log-in') return false;
      if (answer) answer(response);
      else {
        loggedIn = true;
        response.writeHead(303, { location: '/key' }).end();
      }
      return true;
    },
  });
  return started;
};
