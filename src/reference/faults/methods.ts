import { lettingIn, servingAsRead } from '../behaviour.js';
import { type FaultDefinition, faultsOf, named } from '../definitions.js';
import { empty, fieldOf, type HeaderPair, withHeaders } from '../messages.js';

/** Faults where a request with another method, or over another protocol, passes the access check. */

const fault = faultsOf('AUTH-3', 'refuses-other-spellings');

export const methodFaults = named<FaultDefinition>({
  'head-opens': fault(
    'HEAD is not guarded: it tells the size of what the key opens.',
    lettingIn(({ method }) => method === 'HEAD'),
  ),
  'head-tells-of-nobodys-rows': fault(
    'HEAD is not guarded: without a key it tells the size of a list that is nobody’s.',
    (base) => ({
      answer: (call) => {
        const resource = base.route(call);
        return resource && call.method === 'HEAD' && base.identify(call) === undefined
          ? base.represent(call, resource, undefined)
          : base.answer(call);
      },
    }),
    { twin: 'HEAD without a key gets the fields of a notice' },
  ),
  'head-tells-the-number-of-rows': fault(
    'HEAD is not guarded: it tells how many rows the key opens, in a field, and no length.',
    (base) => ({
      answer: async (call) => {
        const answer = await base.answer(call);
        if (base.route(call) !== 'workout' || !['GET', 'HEAD'].includes(call.method)) return answer;
        const opened = base.represent(call, 'workout', base.identify(call) ?? 'mara');
        const count: HeaderPair = ['X-Total-Count', String(JSON.parse(opened.body.toString()).results.length)];
        if (answer.status === 200) return withHeaders(answer, [count]);
        return call.method === 'HEAD'
          ? { status: 200, headers: [['Content-Type', 'application/json'], count], body: '', delivery: 'chunked' }
          : answer;
      },
    }),
    {
      counterpart: {
        name: 'head-of-routes-alone',
        title: 'The router answers HEAD with 200 and a length of 0 where an operation is, and with 404 elsewhere.',
        override: (base) => ({
          answer: (call) => {
            if (call.method !== 'HEAD') return base.answer(call);
            return base.route(call) ? empty(200) : base.missing(call);
          },
        }),
      },
    },
  ),
  'options-opens': fault(
    'OPTIONS passes the guard as a preflight and is served like GET.',
    servingAsRead(({ method }) => method === 'OPTIONS'),
  ),
  'preflight-opens': fault(
    'A CORS preflight passes the guard and is served like GET; other OPTIONS requests are refused.',
    servingAsRead((call) => call.method === 'OPTIONS' && fieldOf(call, 'Access-Control-Request-Method') !== undefined),
  ),
  'http10-opens': fault(
    'Requests over HTTP/1.0 count as those of a load balancer that looks whether the service lives.',
    lettingIn(({ httpVersion }) => httpVersion === '1.0'),
  ),
  'http2-opens': fault(
    'Requests over HTTP/2 reach the service without passing the guard.',
    lettingIn(({ httpVersion }) => httpVersion === '2.0'),
    { protocols: ['h2', 'http/1.1'] },
  ),
});
