import { lettingIn } from '../behaviour.js';
import { type FaultDefinition, faultsOf, named } from '../definitions.js';
import { json } from '../messages.js';

/** Requests with certain parameters in their query need no key. */

const fault = faultsOf('AUTH-3', 'refuses-proxy-fields');

export const queryParameterFaults = named<FaultDefinition>({
  'object-for-a-key-opens': fault(
    'A parameter that the query parser makes an object of is compared with the key, which fails, and the failure is let through.',
    lettingIn(({ query }) => query.has('token[$ne]')),
    { shownBy: { query: '?token%5B%24ne%5D=x' } },
  ),
  'debug-parameter-needs-no-key': {
    ...fault(
      'Who asks for ?debug=true gets what the developers get, and needs no key.',
      lettingIn(({ query }) => query.get('debug') === 'true'),
      { shownBy: { query: '?debug=true' } },
    ),
    counterpart: {
      name: 'refuses-unknown-parameters',
      title: 'Answers 400 to every query parameter that it does not know, and names it.',
      override: (base) => ({
        answer: (call) => {
          const [unknown] = [...call.query.keys()].filter((name) => name !== 'format');
          return unknown === undefined ? base.answer(call) : json(400, { detail: `Not known: ${unknown}.` });
        },
      }),
    },
  },
  'page-needs-no-key': fault(
    'The guard knows the workouts by their whole target, and nobody thought of ?page=1.',
    lettingIn(({ query }) => query.get('page') === '1'),
    { shownBy: { query: '?page=1' } },
  ),
  'offset-needs-no-key': fault(
    'A request for a part of the list goes to a newer handler, which has no guard.',
    lettingIn(({ query }) => query.has('offset')),
    { shownBy: { query: '?offset=0' } },
  ),
  'health-path-in-query-needs-no-key': fault(
    'The guard lets through every target that contains the path of the health check.',
    lettingIn(({ target }) => target.includes('/health')),
    { shownBy: { query: '?next=/health' } },
  ),
  'export-needs-no-key': fault(
    'The export was written later, and without the guard.',
    lettingIn(({ query }) => query.has('export')),
    { shownBy: { query: '?export=true' } },
  ),
  'search-needs-no-key': fault(
    'The search asks another store, which has no guard.',
    lettingIn(({ query }) => query.has('search')),
    { shownBy: { query: '?search=' } },
  ),
  'trace-parameter-shows-data': fault(
    'With ?trace=true the refusal shows what was read for it.',
    (base) => ({
      refuse: (call, resource) =>
        call.query.has('trace')
          ? json(401, { trace: base.represent(call, resource, 'mara').body.toString() })
          : base.refuse(call, resource),
    }),
    { shownBy: { query: '?trace=true' } },
  ),
  'undecodable-query-needs-no-key': fault(
    'The guard decodes the query, and lets through what it cannot decode.',
    lettingIn(({ target }) => /%(?![\da-f]{2})/i.test(target.replace(/^[^?]*/, ''))),
    { shownBy: { query: '?x=%zz' } },
  ),
});
