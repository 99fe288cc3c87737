import {
  answering,
  guardingOnePath,
  lettingIn,
  type Override,
  openedAs,
  paths,
  resourceAt,
  servingAsRead,
} from '../behaviour.js';
import { combine, type FaultDefinition, faultsOf, withNames } from '../definitions.js';
import {
  type Answer,
  type Call,
  empty,
  fieldOf,
  type HeaderPair,
  inCsv,
  inEvents,
  inHtml,
  inScript,
  inXml,
  json,
  partOf,
  withHeaders,
} from '../messages.js';

/** Faults where other formats or other clients are served without a key. */

const spellingFault = faultsOf('AUTH-3', 'refuses-other-spellings');
const fieldFault = faultsOf('AUTH-3', 'refuses-proxy-fields');

/** Serves requests that match `asks` without a key, rendered by `show`. */
const shownUnguarded = (
  asks: (call: Call) => boolean,
  show: (answer: Answer, call: Call) => Answer = (answer) => answer,
): Override =>
  combine(
    openedAs((answer, call) => (asks(call) ? show(answer, call) : answer)),
    lettingIn(asks),
  );

/** The same for paths with a suffix. */
const suffixUnguarded = (suffix: string, show: (answer: Answer) => Answer): Override => {
  const isAsked = ({ path }: Call): boolean => path?.endsWith(suffix) === true;
  return combine(shownUnguarded(isAsked, show), guardingOnePath, (base) => ({
    route: (call) => (isAsked(call) ? resourceAt(`${call.path?.slice(0, -suffix.length)}/`) : base.route(call)),
  }));
};

const formatIs =
  (format: string) =>
  ({ query }: Call): boolean =>
    query.get('format') === format;

const accepts =
  (type: string) =>
  (call: Call): boolean =>
    fieldOf(call, 'Accept') === type;

const acceptsAmongOthers =
  (type: string) =>
  (call: Call): boolean =>
    fieldOf(call, 'Accept')?.split(', ').includes(type) === true;

const isAgent =
  (agent: RegExp) =>
  (call: Call): boolean =>
    agent.test(fieldOf(call, 'User-Agent') ?? '');

const callbackOf = ({ query }: Call): string => query.get('callback') ?? '';

export const formatFaults = withNames<FaultDefinition>({
  'format-csv-opens': spellingFault(
    'With `?format=csv` an export answers, which asks for no key.',
    shownUnguarded(formatIs('csv'), inCsv),
  ),
  'format-xml-opens': spellingFault(
    'With `?format=xml` an old export answers, which asks for no key.',
    shownUnguarded(formatIs('xml'), inXml),
  ),
  'format-html-opens': spellingFault(
    'With `?format=html` a page for printing answers, which asks for no key.',
    shownUnguarded(formatIs('html'), inHtml),
  ),
  'csv-suffix-opens': spellingFault(
    'At `.csv` an export answers, which asks for no key.',
    suffixUnguarded('.csv', inCsv),
  ),
  'xml-suffix-opens': spellingFault('At `.xml` a feed answers, which asks for no key.', suffixUnguarded('.xml', inXml)),
  'callback-opens': spellingFault(
    'With `?callback=` the list comes as a script, and is asked for no key, since pages cannot send one with a script.',
    shownUnguarded(
      (call) => callbackOf(call) !== '',
      (answer, call) => inScript(answer, callbackOf(call)),
    ),
  ),
  'accept-csv-opens': fieldFault(
    'Who wants CSV is served by an export, which asks for no key.',
    shownUnguarded(accepts('text/csv'), inCsv),
  ),
  'accept-xml-opens': fieldFault(
    'Who wants XML is served by an old version, which asks for no key.',
    shownUnguarded(accepts('application/xml'), inXml),
  ),
  'accept-feed-opens': fieldFault(
    'Feed readers cannot send a key, so whoever wants a feed is asked for none.',
    shownUnguarded(acceptsAmongOthers('application/atom+xml'), inXml),
  ),
  'accept-json-api-opens': fieldFault(
    'Who wants JSON:API is served by another controller, which asks for no key.',
    shownUnguarded(acceptsAmongOthers('application/vnd.api+json')),
  ),
  'accept-lines-opens': fieldFault(
    'The export in lines is for programs of the own network, and is asked for no key.',
    shownUnguarded(acceptsAmongOthers('application/x-ndjson')),
  ),
  'event-stream-opens': fieldFault(
    'Pages cannot send a key for a stream of events, so it is asked for none.',
    shownUnguarded(accepts('text/event-stream'), inEvents),
  ),
  'browser-agent-opens': fieldFault(
    'Clients that call themselves Firefox get the list without a key.',
    shownUnguarded(isAgent(/\bFirefox\//)),
  ),
  'crawler-agent-opens': fieldFault(
    'Clients that call themselves a crawler are to index everything, and need no key.',
    shownUnguarded(isAgent(/\bGooglebot\b/)),
  ),
  'range-opens': fieldFault(
    'A part of the list (Range) comes from a cache in front, which asks for no key.',
    shownUnguarded(
      (call) => fieldOf(call, 'Range') !== undefined,
      (answer) => partOf(answer),
    ),
  ),
});

/**
 * Faults where a request with another method, or over another protocol, passes the access check.
 */

export const methodFaults = withNames<FaultDefinition>({
  'head-opens': spellingFault(
    'HEAD is not guarded: it tells the size of what the key opens.',
    lettingIn(({ method }) => method === 'HEAD'),
  ),
  'head-tells-of-nobodys-rows': spellingFault(
    'HEAD is not guarded: without a key it tells the size of a list that is nobody’s.',
    answering(
      (call, base) => call.method === 'HEAD' && base.route(call) && base.identify(call) === undefined,
      (call, base) => base.represent(call, base.route(call) ?? 'workout', undefined),
    ),
    { twin: 'HEAD without a key gets the fields of a notice' },
  ),
  'head-tells-the-number-of-rows': spellingFault(
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
        override: answering(
          ({ method }) => method === 'HEAD',
          (call, base) => (base.route(call) ? empty(200) : base.missing(call)),
        ),
      },
    },
  ),
  'options-opens': spellingFault(
    'OPTIONS passes the guard as a preflight and is served like GET.',
    servingAsRead(({ method }) => method === 'OPTIONS'),
  ),
  'preflight-opens': spellingFault(
    'A CORS preflight passes the guard and is served like GET; other OPTIONS requests are refused.',
    servingAsRead((call) => call.method === 'OPTIONS' && fieldOf(call, 'Access-Control-Request-Method') !== undefined),
  ),
  'http10-opens': spellingFault(
    'Requests over HTTP/1.0 count as those of a load balancer that looks whether the service lives.',
    lettingIn(({ httpVersion }) => httpVersion === '1.0'),
  ),
  'http2-opens': spellingFault(
    'Requests over HTTP/2 reach the service without passing the guard.',
    lettingIn(({ httpVersion }) => httpVersion === '2.0'),
    { protocols: ['h2', 'http/1.1'] },
  ),
});

/** Requests with certain parameters in their query need no key. */

const unknownIn = ({ query }: Call): string | undefined => [...query.keys()].find((name) => name !== 'format');

export const queryParameterFaults = withNames<FaultDefinition>({
  'object-for-a-key-opens': fieldFault(
    'A parameter that the query parser makes an object of is compared with the key, which fails, and the failure is let through.',
    lettingIn(({ query }) => query.has('token[$ne]')),
    { shownBy: { query: '?token%5B%24ne%5D=x' } },
  ),
  'debug-parameter-needs-no-key': {
    ...fieldFault(
      'Who asks for ?debug=true gets what the developers get, and needs no key.',
      lettingIn(({ query }) => query.get('debug') === 'true'),
      { shownBy: { query: '?debug=true' } },
    ),
    counterpart: {
      name: 'refuses-unknown-parameters',
      title: 'Answers 400 to every query parameter that it does not know, and names it.',
      override: answering(
        (call) => unknownIn(call) !== undefined,
        (call) => json(400, { detail: `Not known: ${unknownIn(call)}.` }),
      ),
    },
  },
  'page-needs-no-key': fieldFault(
    'The guard knows the workouts by their whole target, and nobody thought of ?page=1.',
    lettingIn(({ query }) => query.get('page') === '1'),
    { shownBy: { query: '?page=1' } },
  ),
  'offset-needs-no-key': fieldFault(
    'A request for a part of the list goes to a newer handler, which has no guard.',
    lettingIn(({ query }) => query.has('offset')),
    { shownBy: { query: '?offset=0' } },
  ),
  'health-path-in-query-needs-no-key': fieldFault(
    'The guard lets through every target that contains the path of the health check.',
    lettingIn(({ target }) => target.includes('/health')),
    { shownBy: { query: '?next=/health' } },
  ),
  'public-path-at-end-of-query-needs-no-key': fieldFault(
    'The guard leaves out every target that ends with a public path, and counts the query in.',
    lettingIn(({ target }) => target.endsWith(`=${paths.exercise}`)),
    { shownBy: { query: '?next=/api/v2/exercise/' } },
  ),
  'export-needs-no-key': fieldFault(
    'The export was written later, and without the guard.',
    lettingIn(({ query }) => query.has('export')),
    { shownBy: { query: '?export=true' } },
  ),
  'search-needs-no-key': fieldFault(
    'The search asks another store, which has no guard.',
    lettingIn(({ query }) => query.has('search')),
    { shownBy: { query: '?search=' } },
  ),
  'trace-parameter-shows-data': fieldFault(
    'With ?trace=true the refusal shows what was read for it.',
    (base) => ({
      refuse: (call, resource) =>
        call.query.has('trace')
          ? json(401, { trace: base.represent(call, resource, 'mara').body.toString() })
          : base.refuse(call, resource),
    }),
    { shownBy: { query: '?trace=true' } },
  ),
  'undecodable-query-needs-no-key': fieldFault(
    'The guard decodes the query, and lets through what it cannot decode.',
    lettingIn(({ target }) => /%(?![\da-f]{2})/i.test(target.replace(/^[^?]*/, ''))),
    { shownBy: { query: '?x=%zz' } },
  ),
});
