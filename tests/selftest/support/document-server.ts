import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Certificate, certificate } from './certificates.js';
import { documentOf, operationOf, withFiles } from './documents.js';
import { type JudgedRun, type JudgeOptions, judgeRunning } from './judge.js';

/** A small server of a test's own for a document of a test's own, and the whole suite over both. */

export interface Asked {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in lower case; a field that came twice is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly type?: string;
  /** An object goes out as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection instead. */
  readonly closes?: boolean;
  /** Closes it after so many characters of the body. */
  readonly closesAfter?: number;
  /** Keeps the body open: a stream, of which no more comes. */
  readonly endless?: boolean;
}

export type Handler = (asked: Asked) => Answer;

export const notFound: Answer = { status: 404, body: { detail: 'Not found.' } };
export const unauthorized: Answer = { status: 401, body: { detail: 'No credentials were given.' } };

const askedOf = ({ method = '', url = '/', headers, headersDistinct }: IncomingMessage): Asked => {
  const at = url.indexOf('?');
  const cookie = headers.cookie ?? '';
  return {
    method,
    path: at < 0 ? url : url.slice(0, at),
    query: new URLSearchParams(at < 0 ? '' : url.slice(at)),
    headers: Object.fromEntries(
      Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
    ),
    cookies: Object.fromEntries(cookie.split(/; */).map((pair) => pair.split('=', 2) as [string, string])),
  };
};

const write = (
  response: ServerResponse,
  { status, type, body, headers = {}, closes = false, closesAfter, endless = false }: Answer,
): void => {
  if (closes) {
    response.destroy();
    return;
  }
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const kind = type ?? (body === undefined ? undefined : 'application/json');
  response.writeHead(status, {
    ...(kind === undefined || kind === '' ? {} : { 'content-type': kind }),
    ...(status === 204 || endless ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...headers,
  });
  if (endless) response.write(text);
  else if (closesAfter === undefined) response.end(text);
  else response.write(text.slice(0, closesAfter), () => response.destroy());
};

let shared: ReturnType<typeof certificate> | undefined;

export interface DocumentRun extends JudgedRun {
  /** Every request that the server got, `GET /things?x=1`. */
  readonly requests: readonly string[];
  readonly asked: readonly Asked[];
}

/** What listens, and what was asked of it. */
export interface Serving {
  readonly baseUrl: string;
  /** PEM of the certificate. */
  readonly cert: string;
  readonly asked: readonly Asked[];
}

/** Serves `handler` on TLS while `use` runs; with a certificate that all share when none is given. */
export const serving = async <T>(
  handler: Handler,
  use: (serving: Serving) => Promise<T>,
  own?: Certificate,
): Promise<T> => {
  shared ??= certificate();
  const { cert, key } = own ?? (await shared);
  const asked: Asked[] = [];
  const server = https.createServer({ cert, key }, (request, response) => {
    const seen = askedOf(request);
    asked.push(seen);
    request.resume();
    write(response, handler(seen));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await use({ baseUrl: `https://127.0.0.1:${port}`, cert, asked });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
};

/** Serves `handler` on TLS, and judges it by `document` (OpenAPI as an object, written as YAML). */
export const judgeDocument = (
  document: object,
  handler: Handler,
  { basePath = '', settings, ...rest }: JudgeOptions & { readonly basePath?: string } = {},
): Promise<DocumentRun> =>
  serving(handler, ({ baseUrl, cert, asked }) =>
    withFiles({ 'openapi.yaml': document, 'ca.pem': cert }, async (path) => {
      const run = await judgeRunning(
        { baseUrl: `${baseUrl}${basePath}`, caFile: path('ca.pem') },
        {
          contract: path('openapi.yaml'),
          exchanges: true,
          ...rest,
          settings: { HTTP_BASE_URL: 'none', ...settings },
        },
      );
      return { ...run, requests: asked.map(({ method, path: at }) => `${method} ${at}`), asked };
    }),
  );

/** `components` of a document whose key travels as the service of the shipped contract takes it. */
export const tokenComponents = {
  securitySchemes: {
    key: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      'x-access-credential': { scheme: 'Token', separator: ' ' },
    },
  },
};

/** One list at `/things` that opens with such a key. */
export const tokenList = documentOf({
  components: tokenComponents,
  paths: { '/things': { get: operationOf({ operationId: 'listThings', security: [{ key: [] }] }) } },
});

/** A protected list at `/things` and a public one at `/kinds`. */
const thingsAndKinds = documentOf({
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
  paths: {
    '/things': { get: operationOf({ operationId: 'listThings', security: [{ key: [] }] }) },
    '/kinds': { get: operationOf({ operationId: 'listKinds', security: [] }) },
  },
});

/** A key that no artefact may hold. */
export const newKey = (): string => randomBytes(20).toString('hex');

/** Judges whether `/kinds` opens without credentials, beside `/things`. Other paths do not exist. */
export const judgeKinds = (
  answer: (request: Parameters<Handler>[0] & { readonly hasKey: boolean }) => Answer,
): Promise<DocumentRun> => {
  const key = newKey();
  const handler: Handler = (request) =>
    request.path === '/things' || request.path === '/kinds'
      ? answer({ ...request, hasKey: request.headers['x-api-key'] === key })
      : notFound;
  return judgeDocument(thingsAndKinds, handler, { settings: { API_KEY: key }, only: ['opens-without-credentials'] });
};

/**
 * What only the key's owner sees: rows enough to be known as such without a document that describes
 * them.
 */
export const things = {
  count: 3,
  results: [
    { id: 71_235, added: '2024-03-11T07:45:10Z', name: 'a thing of mine', secret: 'kestrel-4417' },
    { id: 71_236, added: '2024-03-14T18:02:55Z', name: 'another thing of mine', secret: 'plover-9920' },
    { id: 71_241, added: '2024-04-02T06:30:41Z', name: 'a third thing of mine', secret: 'dunlin-1873' },
  ],
};
