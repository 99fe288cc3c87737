import { type Override, openedAs, paths, resourceAt } from '../behaviour.js';
import { type FaultDefinition, faultsOf, named } from '../definitions.js';
import { inCsv, inEvents, inHtml, inScript, inXml, partOf } from '../formats.js';
import { type Answer, type Call, fieldOf } from '../messages.js';

/** Faults where other formats or other clients are served without a key. */

const spellingFault = faultsOf('AUTH-3', 'refuses-other-spellings');
const fieldFault = faultsOf('AUTH-3', 'refuses-proxy-fields');

/** Serves requests that match `asks` without a key, rendered by `show`. */
const shownUnguarded =
  (asks: (call: Call) => boolean, show: (answer: Answer, call: Call) => Answer = (answer) => answer): Override =>
  (base, service) => ({
    ...openedAs((answer, call) => (asks(call) ? show(answer, call) : answer))(base, service),
    guards: (call, resource) => base.guards(call, resource) && !asks(call),
  });

/** The same for paths with a suffix. */
const suffixUnguarded =
  (suffix: string, show: (answer: Answer) => Answer): Override =>
  (base, service) => {
    const isAsked = ({ path }: Call): boolean => path?.endsWith(suffix) === true;
    return {
      ...shownUnguarded(isAsked, show)(base, service),
      route: (call) => (isAsked(call) ? resourceAt(`${call.path?.slice(0, -suffix.length)}/`) : base.route(call)),
      guards: (call, resource) => base.guards(call, resource) && call.path === paths.workout,
    };
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

export const formatFaults = named<FaultDefinition>({
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
