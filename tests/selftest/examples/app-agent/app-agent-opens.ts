import type { FaultDefinition, Unnamed } from '../../../../src/reference/definitions.js';
import { fieldOf, json } from '../../../../src/reference/messages.js';

export const appAgentOpens: Unnamed<FaultDefinition> = {
  title: 'A request with the User-Agent of OkHttp, which the own app uses, needs no key.',
  clauses: ['AUTH-3'],
  checks: ['refuses-app-agents'],
  shownBy: { headers: { 'User-Agent': 'okhttp/4.12.0' } },
  override: (base) => ({
    guards: (call, resource) => base.guards(call, resource) && !/^okhttp\//.test(fieldOf(call, 'User-Agent') ?? ''),
  }),
  counterpart: {
    name: 'tells-apps-to-update',
    title: 'Tells an app without a key to update itself, with 426, and refuses others with 401.',
    override: (base) => ({
      refuse: (call, resource) =>
        /^okhttp\//.test(fieldOf(call, 'User-Agent') ?? '')
          ? json(426, { detail: 'Update the app.' })
          : base.refuse(call, resource),
    }),
  },
};
