import * as oauth from 'oauth4webapi';
import { isObject, orUndefined, wordsIn } from '../collections.js';
import type { Grant } from '../settings/keys.js';
import { keyEnds, parseKey } from '../settings/value-parsers.js';
import { failureOf } from '../wire/failure.js';
import { type AskHttps, type HttpsAnswer, TooLargeAnswer } from '../wire/https-request.js';
import { deadline } from '../wire/time-limits.js';
import { type FetchedKey, KeyFetchError } from './fetched-key.js';

/** The token endpoint, or the OpenID Connect discovery document that names it. */
export type TokenPlace = { readonly tokenUrl: URL } | { readonly discoveryUrl: URL };

export interface TokenOptions {
  readonly ask: AskHttps;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const wholeDeadlineMs = 10_000;

/** Maximum size in bytes of an answer of an authorization server. */
const mostAnswered = 1_048_576;

/** A URL for messages, without its query, which may contain a secret. */
const shown = (url: URL): string => url.origin + url.pathname;

/** Error codes of RFC 6749, section 5.2. Any other text of the server may repeat a secret. */
const knownErrors = wordsIn(`
  invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type
  invalid_scope
`);

const jsonIn = ({ bytes }: HttpsAnswer): Readonly<Record<string, unknown>> | undefined => {
  const value = orUndefined((): unknown => JSON.parse(bytes.toString('utf8')));
  return isObject(value) ? value : undefined;
};

/** Values of members that are named like secrets, such as `access_token` and `id_token`. */
const tokensIn = (answer: HttpsAnswer): readonly string[] =>
  Object.entries(jsonIn(answer) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && /token|secret/i.test(name) && !/type$/i.test(name) ? [value] : [],
  );

/** Sends a request to `url` without following redirects. */
const answerOf = async (
  url: URL,
  request: Parameters<AskHttps>[1],
  { ask }: TokenOptions,
  what: string,
): Promise<HttpsAnswer> => {
  const refuse = (why: string): KeyFetchError => new KeyFetchError(`${what} ${shown(url)} ${why}`);
  try {
    const answer = await ask(url, request);
    if (answer.status >= 300 && answer.status < 400)
      throw refuse(`redirects (${answer.status}), and secrets are sent nowhere else: name the right URL`);
    return answer;
  } catch (error) {
    if (error instanceof KeyFetchError) throw error;
    if (error instanceof TooLargeAnswer) throw refuse('answers more than 1 MiB');
    if (request.signal.aborted) throw refuse('gave no complete answer in time');
    throw refuse(`was not reached: ${failureOf(error, 'answer').message}`);
  }
};

/**
 * The token endpoint, read from the discovery document if necessary (OpenID Connect Discovery 1.0,
 * section 4).
 */
const endpointOf = async (place: TokenPlace, options: TokenOptions, signal: AbortSignal): Promise<URL> => {
  if ('tokenUrl' in place) return place.tokenUrl;
  const { discoveryUrl: url } = place;
  const what = 'the OpenID Connect document';
  const headers = { accept: 'application/json' };
  const answer = await answerOf(url, { method: 'GET', headers, signal, most: mostAnswered }, options, what);
  const named = jsonIn(answer)?.token_endpoint;
  if (answer.status !== 200 || typeof named !== 'string' || !URL.canParse(named))
    throw new KeyFetchError(`${what} ${shown(url)} names no token_endpoint (status ${answer.status})`);
  const endpoint = new URL(named);
  if (endpoint.origin !== url.origin)
    throw new KeyFetchError(
      `${what} ${shown(url)} names a token endpoint on ${endpoint.origin}, another origin: set OAUTH_TOKEN_URL if that is right`,
    );
  return endpoint;
};

/** Describes the server's refusal in terms of RFC 6749. */
const refusalOf = (error: unknown, status: number | undefined): string => {
  if (error instanceof oauth.ResponseBodyError)
    return knownErrors.includes(error.error)
      ? `refuses: ${error.error}`
      : `refuses with an error of its own (status ${error.status})`;
  if (error instanceof oauth.WWWAuthenticateChallengeError) return `refuses the client (status ${error.status})`;
  return status === 200
    ? 'gives no bearer token as RFC 6749 section 5.1 describes it'
    : `answers with status ${status ?? 'unknown'}, and no error as RFC 6749 section 5.2 describes it`;
};

const isClientRefused = (error: unknown): boolean =>
  error instanceof oauth.WWWAuthenticateChallengeError ||
  (error instanceof oauth.ResponseBodyError && (error.status === 401 || error.error === 'invalid_client'));

/**
 * Gets a token by the client credentials flow or the password flow (RFC 6749, sections 4.4 and
 * 4.3). The client authenticates by HTTP Basic, or in the body if Basic is refused (section 2.3.1).
 * @throws {KeyFetchError}
 */
export const fetchToken = async (grant: Grant, place: TokenPlace, options: TokenOptions): Promise<FetchedKey> => {
  const late = new AbortController();
  const cancelDeadline = deadline(options.deadlineMs ?? wholeDeadlineMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, ...(options.signal ? [options.signal] : [])]);
  try {
    const url = await endpointOf(place, options, signal);
    return await askToken(grant, url, options, signal);
  } finally {
    cancelDeadline();
  }
};

const tokenEndpoint = 'the token endpoint';

/** What the token endpoint has answered so far. */
interface Answered {
  status: number | undefined;
  readonly secrets: Set<string>;
}

/** The `fetch` of the OAuth library, by the wire client. */
const fetchInto =
  (answered: Answered, url: URL, options: TokenOptions, signal: AbortSignal) =>
  async (_url: string, { headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>): Promise<Response> => {
    const request = { method: 'POST', headers, body: String(body), signal, most: mostAnswered } as const;
    const answer = await answerOf(url, request, options, tokenEndpoint);
    for (const secret of tokensIn(answer)) answered.secrets.add(secret);
    answered.status = answer.status;
    // The id token is removed unverified: it identifies a user, and is not used as a key.
    const { id_token: _unused, ...rest } = jsonIn(answer) ?? {};
    const challenge = answer.headers['www-authenticate'];
    return new Response(jsonIn(answer) ? JSON.stringify(rest) : answer.bytes.toString('utf8'), {
      status: answer.status,
      headers: {
        'content-type': answer.headers['content-type'] ?? '',
        ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      },
    });
  };

/** Returns a function that asks for a token, with the client authenticated in one way. */
const requesterFor = ({ flow, clientId, account, scope }: Grant, url: URL, fetch: ReturnType<typeof fetchInto>) => {
  const as: oauth.AuthorizationServer = { issuer: url.origin, token_endpoint: url.href };
  const client: oauth.Client = { client_id: clientId };
  const parameters = { ...account, ...(scope === undefined ? {} : { scope }) };
  const hooks = { [oauth.customFetch]: fetch };
  return async (authentication: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> =>
    flow === 'clientCredentials'
      ? oauth.processClientCredentialsResponse(
          as,
          client,
          await oauth.clientCredentialsGrantRequest(as, client, authentication, parameters, hooks),
        )
      : oauth.processGenericTokenEndpointResponse(
          as,
          client,
          await oauth.genericTokenEndpointRequest(as, client, authentication, 'password', parameters, hooks),
        );
};

const byBasicOrBody = async (
  clientSecret: string | undefined,
  askAs: ReturnType<typeof requesterFor>,
): Promise<oauth.TokenEndpointResponse> => {
  if (clientSecret === undefined) return askAs(oauth.None());
  try {
    return await askAs(oauth.ClientSecretBasic(clientSecret));
  } catch (error) {
    if (!isClientRefused(error)) throw error;
    return askAs(oauth.ClientSecretPost(clientSecret));
  }
};

const askToken = async (grant: Grant, url: URL, options: TokenOptions, signal: AbortSignal): Promise<FetchedKey> => {
  const answered: Answered = { status: undefined, secrets: new Set() };
  const { secrets } = answered;
  const askAs = requesterFor(grant, url, fetchInto(answered, url, options, signal));
  const started = Date.now();
  const { access_token: key, expires_in: lasts } = await byBasicOrBody(grant.clientSecret, askAs).catch(
    (error: unknown) => {
      if (error instanceof KeyFetchError) throw error;
      throw new KeyFetchError(`${tokenEndpoint} ${shown(url)} ${refusalOf(error, answered.status)}`, [...secrets]);
    },
  );
  const form = parseKey(key);
  if (form.wrong !== undefined)
    throw new KeyFetchError(`the token that ${shown(url)} gives cannot be used: ${form.wrong.replace(/\.$/, '')}`, [
      ...secrets,
    ]);
  const endsAt = lasts === undefined ? keyEnds(key)?.getTime() : started + lasts * 1000;
  secrets.delete(key);
  return { key, secrets: [...secrets], ...(endsAt === undefined ? {} : { endsAt }) };
};
