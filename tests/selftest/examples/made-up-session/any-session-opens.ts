import { redirect } from '../../../../src/reference/answer.js';
import { fieldOf } from '../../../../src/reference/call.js';
import type { FaultDefinition, Unnamed } from '../../../../src/reference/definitions.js';

export const anySessionOpens: Unnamed<FaultDefinition> = {
  title: 'A cookie named sessionid counts as logged in, whatever its value.',
  clauses: ['AUTH-3'],
  checks: ['refuses-made-up-sessions'],
  shownBy: { headers: { Cookie: 'sessionid=anything' } },
  override: (base) => ({
    guards: (call, resource) => base.guards(call, resource) && !/\bsessionid=\S/.test(fieldOf(call, 'Cookie') ?? ''),
  }),
  counterpart: {
    name: 'refuses-unknown-sessions',
    title: 'Redirects a request with an unknown session to the log-in, and refuses others with 401.',
    override: (base) => ({
      refuse: (call, resource) =>
        fieldOf(call, 'Cookie') === undefined ? base.refuse(call, resource) : redirect(302, '/login/'),
    }),
  },
};
