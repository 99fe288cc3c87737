import type { HeaderPair } from '../../src/wire/types.js';
import type { Tree } from './data.js';
import type { Context, Envelope } from './envelopes.js';
import { isObject, mediaTypes, pageOf, pageWithState, type StateForm } from './formats.js';
import { hexOf, type Random, uuidOf } from './random.js';

/** How services refuse, and what they say where nothing is. */

export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly location?: string;
  /** Other fields. */
  readonly headers?: readonly HeaderPair[];
  readonly body: string;
  /** UTF-8 where absent. */
  readonly charset?: 'utf-16le' | 'utf-16be';
  /** The connection ends before the body does. */
  readonly broken?: true;
  /** The connection is closed without an answer. */
  readonly closed?: true;
}

/** What a refusal is made of. */
export interface Refusing {
  readonly context: Context;
  readonly envelope: Envelope;
  /** Of this exchange alone. */
  readonly moment: Random;
  /** As it was asked for. */
  readonly target: string;
  /** Adds what differs from exchange to exchange. */
  readonly decorated: (tree: Tree) => Tree;
  /** What everybody gets; absent where nothing is public. */
  readonly publicAnswer: (() => Answer) | undefined;
  readonly rows: number;
  /** Rows of nobody: a notice in the form of the data. */
  readonly rowsAnswer: (rows: number) => Answer;
  readonly nullTree: () => Tree;
  readonly nullAnswer: () => Answer;
  readonly maskedAnswer: () => Answer;
  readonly emptyTree: () => Tree;
  /** What the service describes itself with: the record, where it holds nothing but words. */
  readonly description: Tree;
  readonly descriptionTree: () => Tree;
  readonly catalogue: readonly Tree[];
  /** Of rows that name a gym, the gyms. */
  readonly gyms: readonly Readonly<Record<string, Tree>>[];
  readonly stateForm: StateForm;
}

const json = (status: number, tree: Tree, contentType = 'application/json'): Answer => ({
  status,
  contentType,
  body: JSON.stringify(tree),
});

const html = (status: number, title: string, body: string): Answer => ({
  status,
  contentType: mediaTypes.html,
  body: pageOf(title, body),
});

const statusOf = ({ context }: Refusing): number =>
  context.random.fork('status').weighted([
    [6, 401],
    [4, 403],
    [1, 404],
    [1, 400],
  ]);

const loginForm = (random: Random, words: string): Answer =>
  html(
    200,
    'Log in',
    `<h1>${words}</h1><form action="/login" method="post"><input type="hidden" name="csrf" value="${hexOf(random, 32)}"><input name="username"><input name="password" type="password"><button>Log in</button></form>`,
  );

const appShell = (): Answer =>
  html(
    200,
    'Fitness',
    '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src="/static/js/main.4f1c2a9b.js"></script>',
  );

const page = (title: string, tree: Tree, form: StateForm): Answer => ({
  status: 200,
  contentType: mediaTypes.html,
  body: pageWithState(title, { page: '/workout', props: tree }, form),
});

const hoursTable = `<table>${['Mon', 'Tue', 'Wed', 'Thu', 'Sat']
  .map((day, at) => `<tr><td>${day}</td><td>0${(at % 3) + 6}:00</td><td>2${at % 3}:00</td></tr>`)
  .join('')}</table>`;

/** A refusal that says what it refuses. */
const describedIn = ({ envelope, context, description }: Refusing): Answer => {
  const error = envelope.refuse(context);
  return json(200, { ...(isObject(error) ? error : {}), context: description });
};

/** The form of a refusal by status that frameworks, proxies and gateways give. */
export const refusals = {
  statusJson: (r) => json(statusOf(r), r.decorated(r.envelope.refuse(r.context))),
  statusPlainJson: (r) => json(statusOf(r), { detail: r.context.words }),
  statusHtml: (r) => html(statusOf(r), 'Error', `<h1>${r.context.words}</h1><hr><center>nginx/1.25.3</center>`),
  statusText: (r) => ({ status: statusOf(r), contentType: mediaTypes.text, body: r.context.words }),
  statusEmpty: (r) => ({ status: statusOf(r), body: '' }),
  problem: (r) =>
    json(
      statusOf(r),
      {
        type: 'about:blank',
        title: 'Unauthorized',
        status: statusOf(r),
        detail: r.context.words,
        instance: r.target,
        traceId: hexOf(r.moment, 32),
      },
      'application/problem+json',
    ),
  spring: (r) =>
    json(statusOf(r), {
      timestamp: new Date().toISOString(),
      status: statusOf(r),
      error: 'Unauthorized',
      message: r.context.words,
      path: r.target.split('?')[0],
    }),
  aws: (r) => json(403, { message: r.context.words, requestId: uuidOf(r.moment) }),
  redirect: (r) => ({
    status: 302,
    location: `/login?next=${encodeURIComponent(r.target)}`,
    contentType: mediaTypes.html,
    body: '',
  }),
  body200: (r) => json(200, r.decorated(r.envelope.refuse(r.context))),
  appShell,
  loginPage: (r) => loginForm(r.moment, r.context.words),
  likeMissing: (r) => json(404, { detail: 'Not found.', path: r.target.split('?')[0] }),
  text200: (r) => ({ status: 200, contentType: mediaTypes.text, body: r.context.words }),
  empty200: () => ({ status: 200, body: '' }),
  noContent: () => ({ status: 204, body: '' }),
  jsonString: (r) => json(200, r.context.words),
  jsonNull: () => json(200, null),
  jsonFalse: () => json(200, false),
  emptyObject: () => json(200, {}),
  errorInList: (r) => json(200, [{ [r.context.nameOf('code')]: 401, [r.context.nameOf('message')]: r.context.words }]),
  errorsInList: (r) =>
    json(200, [
      { field: 'Authorization', message: r.context.words },
      { field: 'key', message: 'This field is required.' },
    ]),
  errorStrings: (r) => json(200, [r.context.words, 'E401']),
  nullRows: (r) => {
    const tree = r.nullTree();
    return json(200, r.decorated(isObject(tree) ? { ...tree, [r.context.nameOf('message')]: r.context.words } : tree));
  },
  errorRecord: (r) =>
    json(200, {
      code: 40_101,
      message: r.context.words,
      requestId: uuidOf(r.moment),
      timestamp: new Date().toISOString(),
      documentation: 'https://api.example/docs/errors/40101',
    }),
  quota: (r) =>
    json(200, { plan: 'anonymous', limit: 60, remaining: r.moment.int(0, 59), reset: r.moment.int(10, 3_600) }),
  challenge: (r) => json(200, { challenge: uuidOf(r.moment), methods: ['totp', 'sms'], expiresIn: 300 }),
  endpoints: (r) =>
    json(200, {
      [r.context.nameOf('message')]: r.context.words,
      endpoints: [
        { path: '/login', method: 'POST', description: 'Log in' },
        { path: '/register', method: 'POST', description: 'Create an account' },
        { path: '/docs', method: 'GET', description: 'Documentation' },
      ],
    }),
  publicRows: (r) => r.publicAnswer?.() ?? json(401, { detail: r.context.words }),
  serverError: (r) => html(500, 'Server Error', `<h1>Server Error (500)</h1><p>${hexOf(r.moment, 16)}</p>`),
  // What everybody may see, to make strangers want more.
  catalogue: (r) => json(200, { [r.context.nameOf('message')]: r.context.words, popular: r.catalogue }),
  catalogueStatus: (r) => json(401, { [r.context.nameOf('message')]: r.context.words, popular: r.catalogue }),
  // Whom to ask: what the owner's rows name too.
  gymStatus: (r) =>
    json(401, { [r.context.nameOf('message')]: [r.context.words, ...Object.values(r.gyms[0] ?? {})].join(', ') }),
  gymsStatus: (r) => json(401, { [r.context.nameOf('message')]: r.context.words, gyms: r.gyms.slice(0, 3) }),
  gyms: (r) => json(200, { [r.context.nameOf('message')]: r.context.words, gyms: r.gyms.slice(0, 3) }),
  emptyWithLogin: (r) => {
    const tree = r.emptyTree();
    return json(200, isObject(tree) ? { ...tree, login: 'https://api.example/login' } : { login: '/login' });
  },
  hours: (r) => html(200, 'Log in', `<h1>${r.context.words}</h1>${hoursTable}`),
  closed: () => ({ status: 0, body: '', closed: true }),
  // Below: what cannot be told from data by anybody.
  emptyList: (r) => r.rowsAnswer(0),
  notice: (r) => r.rowsAnswer(1),
  wordRows: (r) => r.rowsAnswer(r.rows),
  masked: (r) => r.maskedAnswer(),
  plainNull: (r) => r.nullAnswer(),
  emptyState: (r) => page('Fitness', r.emptyTree(), r.stateForm),
  described: (r) => describedIn(r),
  describedPage: (r) => page('Fitness', r.descriptionTree(), r.stateForm),
} as const satisfies Readonly<Record<string, (refusing: Refusing) => Answer>>;

export type RefusalName = keyof typeof refusals;

/** Ordinary styles: by status, in an error envelope with 200, app shells and pages to log in. */
export const ordinaryRefusals: readonly (readonly [number, RefusalName])[] = [
  [6, 'statusJson'],
  [3, 'statusPlainJson'],
  [3, 'statusHtml'],
  [2, 'statusText'],
  [2, 'statusEmpty'],
  [3, 'problem'],
  [2, 'spring'],
  [2, 'aws'],
  [3, 'redirect'],
  [8, 'body200'],
  [3, 'appShell'],
  [3, 'loginPage'],
  [2, 'likeMissing'],
];

export const oddRefusals: readonly (readonly [number, RefusalName])[] = [
  [2, 'text200'],
  [1, 'empty200'],
  [1, 'noContent'],
  [1, 'jsonString'],
  [1, 'jsonNull'],
  [1, 'jsonFalse'],
  [1, 'emptyObject'],
  [3, 'errorInList'],
  [2, 'errorsInList'],
  [2, 'errorStrings'],
  [3, 'nullRows'],
  [3, 'errorRecord'],
  [2, 'quota'],
  [2, 'challenge'],
  [2, 'endpoints'],
  [3, 'publicRows'],
  [2, 'serverError'],
];

export const missingStyles = {
  json: (_r) => json(404, { detail: 'Not found.' }),
  jsonEcho: (r) => json(404, { statusCode: 404, message: `Cannot GET ${r.target.split('?')[0]}`, error: 'Not Found' }),
  problem: (r) =>
    json(
      404,
      { type: 'about:blank', title: 'Not Found', status: 404, traceId: hexOf(r.moment, 32) },
      'application/problem+json',
    ),
  html: () => html(404, '404 Not Found', '<h1>404 Not Found</h1><hr><center>nginx</center>'),
  htmlEcho: (r) => html(404, 'Not found', `<h1>Nothing at ${r.target.split('?')[0]}</h1><p>${hexOf(r.moment, 8)}</p>`),
  text: (r) => ({ status: 404, contentType: mediaTypes.text, body: `404 page not found: ${r.target.split('?')[0]}` }),
  empty: () => ({ status: 404, body: '' }),
  appShell,
  redirect: () => ({ status: 302, location: '/', contentType: mediaTypes.html, body: '' }),
  envelope: (r) => json(200, r.decorated(r.envelope.refuse({ ...r.context, words: 'Nothing here' }))),
  bad: () => json(400, { error: 'Bad Request' }),
  gateway: (r) => json(403, { message: 'Missing Authentication Token', requestId: uuidOf(r.moment) }),
} as const satisfies Readonly<Record<string, (refusing: Refusing) => Answer>>;

export type MissingName = keyof typeof missingStyles | 'asRefused';

export const missingNames: readonly (readonly [number, MissingName])[] = [
  [6, 'json'],
  [3, 'jsonEcho'],
  [2, 'problem'],
  [4, 'html'],
  [2, 'htmlEcho'],
  [2, 'text'],
  [2, 'empty'],
  [2, 'appShell'],
  [1, 'redirect'],
  [2, 'envelope'],
  [1, 'bad'],
  [1, 'gateway'],
  [4, 'asRefused'],
];

export const loginPage = loginForm;
export const shell = appShell;
