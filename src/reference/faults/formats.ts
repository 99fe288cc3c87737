import type { Answer } from '../answer.js';
import { type Override, paths, resourceAt } from '../behaviour.js';
import { type Call, fieldOf } from '../call.js';
import { type FaultDefinition, faultsOf } from '../definitions.js';
import { inCsv, inHtml, inScript, inXml, partOf } from '../formats.js';

/** Other formats, or other clients, are served without a key. */

const fault = (name: string, title: string, check: string, override: Override): FaultDefinition =>
  faultsOf('AUTH-3', check)(name, title, override);

const spelled = 'refuses-other-spellings';
const carried = 'refuses-proxy-fields';

/** Requests for which `asks` holds get the list as `show` renders it, with or without a key. */
const shownUnguarded =
  (asks: (call: Call) => boolean, show: (answer: Answer, call: Call) => Answer = (answer) => answer): Override =>
  (base) => ({
    guards: (call, resource) => base.guards(call, resource) && !asks(call),
    represent: (call, resource, owner) => {
      const answer = base.represent(call, resource, owner);
      return asks(call) && answer.status === 200 ? show(answer, call) : answer;
    },
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

const isAgent =
  (agent: RegExp) =>
  (call: Call): boolean =>
    agent.test(fieldOf(call, 'User-Agent') ?? '');

const callbackOf = ({ query }: Call): string => query.get('callback') ?? '';

export const formatFaults: readonly FaultDefinition[] = [
  fault(
    'format-csv-opens',
    'With `?format=csv` an export answers, which asks for no key.',
    spelled,
    shownUnguarded(formatIs('csv'), inCsv),
  ),
  fault(
    'format-xml-opens',
    'With `?format=xml` an old export answers, which asks for no key.',
    spelled,
    shownUnguarded(formatIs('xml'), inXml),
  ),
  fault(
    'format-html-opens',
    'With `?format=html` a page for printing answers, which asks for no key.',
    spelled,
    shownUnguarded(formatIs('html'), inHtml),
  ),
  fault(
    'csv-suffix-opens',
    'At `.csv` an export answers, which asks for no key.',
    spelled,
    suffixUnguarded('.csv', inCsv),
  ),
  fault(
    'xml-suffix-opens',
    'At `.xml` a feed answers, which asks for no key.',
    spelled,
    suffixUnguarded('.xml', inXml),
  ),
  fault(
    'callback-opens',
    'With `?callback=` the list comes as a script, and is asked for no key, since pages cannot send one with a script.',
    spelled,
    shownUnguarded(
      (call) => callbackOf(call) !== '',
      (answer, call) => inScript(answer, callbackOf(call)),
    ),
  ),
  fault(
    'accept-csv-opens',
    'Who wants CSV is served by an export, which asks for no key.',
    carried,
    shownUnguarded(accepts('text/csv'), inCsv),
  ),
  fault(
    'accept-xml-opens',
    'Who wants XML is served by an old version, which asks for no key.',
    carried,
    shownUnguarded(accepts('application/xml'), inXml),
  ),
  fault(
    'browser-agent-opens',
    'Clients that call themselves Firefox get the list without a key.',
    carried,
    shownUnguarded(isAgent(/\bFirefox\//)),
  ),
  fault(
    'crawler-agent-opens',
    'Clients that call themselves a crawler are to index everything, and need no key.',
    carried,
    shownUnguarded(isAgent(/\bGooglebot\b/)),
  ),
  fault(
    'range-opens',
    'A part of the list (Range) comes from a cache in front, which asks for no key.',
    carried,
    shownUnguarded(
      (call) => fieldOf(call, 'Range') !== undefined,
      (answer) => partOf(answer),
    ),
  ),
];
