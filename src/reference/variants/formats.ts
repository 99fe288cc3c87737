import { randomUUID } from 'node:crypto';
import { answering, finishing, type Override } from '../behaviour.js';
import { combine, refusing, type VariantDefinition, variant, withNames } from '../definitions.js';
import {
  type Answer,
  type Call,
  fieldOf,
  hangUp,
  html,
  inCsv,
  inHtml,
  inScript,
  inXml,
  json,
  partOf,
} from '../messages.js';

/** Variants that answer in other formats or treat clients differently, and always need the key. */

const isJson = ({ headers }: Answer): boolean =>
  headers.some(([name, value]) => /^content-type$/i.test(name) && value.startsWith('application/json'));

/** Renders every JSON answer, including refusals, in the requested format. */
const everythingIn = (formOf: (call: Call) => ((answer: Answer) => Answer) | undefined): Override =>
  finishing((answer, call) => {
    const show = formOf(call);
    return show && isJson(answer) ? show(answer) : answer;
  });

const forms = { csv: inCsv, xml: inXml, html: inHtml } as const;
type Format = keyof typeof forms;
const isFormat = (name: string): name is Format => name in forms;

const formatIn = (call: Call): Format | undefined => {
  const named = call.query.get('format') ?? '';
  if (isFormat(named)) return named;
  return (['csv', 'xml', 'html'] as const).find((format) =>
    (fieldOf(call, 'Accept') ?? '').split(/[,;]/)[0]?.endsWith(`/${format}`),
  );
};

const everyForm = everythingIn((call) => {
  const format = formatIn(call);
  return format && forms[format];
});

const isRange = (call: Call): boolean => fieldOf(call, 'Range') !== undefined;
const agentOf = (call: Call): string => fieldOf(call, 'User-Agent') ?? '';
const logIn = (): Answer =>
  html(200, 'Log in', '<form method="post"><input name="user"><input type="password" name="p"></form>');

/** Puts the status into the body, as JSONP does. */
const asScript =
  (callback: string) =>
  (answer: Answer): Answer =>
    inScript(
      {
        ...answer,
        status: 200,
        body: JSON.stringify({ status: answer.status, data: JSON.parse(answer.body.toString()) }),
      },
      callback,
    );

/** An HTML page with the JSON, menus and the user name, as frameworks show it. */
const inPage = (call: Call, answer: Answer, user?: string): Answer => {
  if (!fieldOf(call, 'Accept')?.startsWith('text/html')) return answer;
  const value = JSON.stringify(JSON.parse(answer.body.toString()), undefined, 2);
  return html(
    answer.status,
    'Workout list – Fitness',
    `<nav><a href="/">Fitness service, version 2.4.1</a> ${user === undefined ? '<a href="/login/">Log in here</a>' : `<a href="/me/">${user}</a>`}
<a href="/help/formats/">About the formats</a> <a href="/help/limits/">About the limits</a> <a href="/help/keys/">About the keys</a></nav>
<p>Raw data, or as a form</p><p>Formats: application/json, text/html</p><p>Methods: GET, HEAD, OPTIONS</p>
<pre>${value.replaceAll('"', '&quot;')}</pre><footer>Imprint and contact</footer>`,
  );
};

const sessionOf = (call: Call): string | undefined => /\bvisit=([\w-]+)/.exec(fieldOf(call, 'Cookie') ?? '')?.[1];

export const formatVariants = withNames<VariantDefinition>({
  'answers-in-every-form': variant('Gives data and refusals in CSV, XML and HTML where that is asked for.', everyForm),
  'refuses-in-every-form-with-200': variant(
    'Refuses with status 200 and an error, in CSV, XML and HTML where that is asked for.',
    combine(() => ({ refuse: () => json(200, { error: 'unauthorized', message: 'A key is needed.' }) }), everyForm),
    // A page without tables may contain somebody's data as well.
    { verdict: 'incomplete' },
  ),
  'refuses-in-pages-with-200': variant(
    'Refuses with status 200 and an error, and shows browsers this and the data in pages of one kind.',
    combine(
      () => ({ refuse: () => json(200, { code: 40101, message: 'A key is needed.' }) }),
      (base) => ({
        represent: (call, resource, owner) => inPage(call, base.represent(call, resource, owner), owner),
        refuse: (call, resource) => inPage(call, base.refuse(call, resource)),
      }),
    ),
  ),
  'answers-as-script': variant(
    'With ?callback= everything, refusals too, comes as a script with status 200.',
    everythingIn(({ query }) => (query.has('callback') ? asScript(query.get('callback') ?? '') : undefined)),
  ),
  'json-alone': variant(
    'Knows JSON alone: 406 for other media types, 404 for other formats, with the key and without.',
    combine(
      answering(
        (call, base) => base.route(call) && !/json|\*\/\*/.test(fieldOf(call, 'Accept') ?? '*/*'),
        () => json(406, { detail: 'Could not satisfy the request Accept header.' }),
      ),
      answering(
        (call, base) => base.route(call) && (call.query.get('format') ?? 'json') !== 'json',
        () => json(404, { detail: 'Not found.' }),
      ),
    ),
  ),
  'gives-parts': variant(
    'Answers Range with 206, of its log-in page too, with which it refuses.',
    combine(
      () => ({ refuse: logIn }),
      finishing((answer, call) => (isRange(call) && answer.status === 200 ? partOf(answer) : answer)),
    ),
  ),
  'refuses-parts-with-416': refusing('Refuses with 401, and a Range of what it refuses with 416.', (call) =>
    isRange(call)
      ? json(416, { detail: 'Range not satisfiable.' }, [['Content-Range', 'bytes */0']])
      : json(401, { detail: 'A key is needed.' }),
  ),
  'refuses-clients-apart': refusing(
    'Shows browsers a log-in page, turns crawlers away with 403 and refuses other clients with 401.',
    (call) => {
      if (/bot\b/i.test(agentOf(call))) return json(403, { detail: 'Not for crawlers.' });
      return agentOf(call).startsWith('Mozilla/') ? logIn() : json(401, { detail: 'A key is needed.' });
    },
  ),
  'refuses-with-a-visit': refusing(
    'Sets a cookie with its refusal, and refuses who brings it back in another way, with status 200.',
    (call) =>
      sessionOf(call) === undefined
        ? json(401, { detail: 'A key is needed.' }, [['Set-Cookie', `visit=${randomUUID()}; Path=/; Secure; HttpOnly`]])
        : json(200, { visit: sessionOf(call), error: { code: 'log-in', message: 'Log in, or send a key.' } }),
  ),
  'sessions-of-its-own': variant(
    'Sets a session cookie with what the key opens, and answers an unknown session with 400 and a new cookie.',
    (base) => {
      const cookie = (): [string, string] => ['Set-Cookie', `visit=${randomUUID()}; Path=/; Secure; HttpOnly`];
      return {
        represent: (call, resource, owner) => {
          const answer = base.represent(call, resource, owner);
          return resource === 'workout' ? { ...answer, headers: [...answer.headers, cookie()] } : answer;
        },
        refuse: (call, resource) =>
          sessionOf(call) === undefined
            ? base.refuse(call, resource)
            : json(400, { detail: 'The session is not known.' }, [cookie()]),
      };
    },
  ),
  'odd-keys-are-400': refusing('Answers keys of odd characters with 400, and others with 401.', (call) =>
    /[^\w ]/.test(fieldOf(call, 'Authorization') ?? '')
      ? json(400, { detail: 'The Authorization field cannot be read.' })
      : json(401, { detail: 'A key is needed.' }),
  ),
  'firewall-for-odd-keys': refusing(
    'A firewall shows its own page for a quote, and hangs up on bytes that are not ASCII.',
    (call) => {
      const value = fieldOf(call, 'Authorization') ?? '';
      if (/[^\x00-\x7f]/.test(value)) return hangUp;
      return value.includes("'")
        ? html(200, 'Request blocked', `<p>Reference ${randomUUID()}</p>`)
        : json(401, { detail: 'A key is needed.' });
    },
  ),
});
