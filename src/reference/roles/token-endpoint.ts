import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageHandler } from '../service.js';
import type { Credentials } from './credentials.js';

/** The OAuth token endpoint, with the client credentials grant (RFC 6749, section 4.4). */

const tokenPath = '/oauth/token';

const mostBytes = 16_384;

const formOf = async (request: IncomingMessage): Promise<URLSearchParams | undefined> => {
  let text = '';
  try {
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk;
      if (text.length > mostBytes) return undefined;
    }
  } catch {
    // The client disconnected.
    return undefined;
  }
  return new URLSearchParams(text);
};

/** Client id and secret, from HTTP Basic (form-encoded, section 2.3.1) or from the form. */
const clientOf = (
  request: IncomingMessage,
  form: URLSearchParams,
): readonly [id: string | null, secret: string | null] => {
  const basic = /^Basic (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic === undefined) return [form.get('client_id'), form.get('client_secret')];
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':', 2);
  const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
  return [decoded.get('id'), decoded.get('secret')];
};

const answer = (response: ServerResponse, status: number, value: object, fields: Record<string, string> = {}): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...fields });
  response.end(JSON.stringify(value));
};

export const tokenEndpoint =
  (credentials: Credentials): PageHandler =>
  async (request, response) => {
    if (new URL(request.url ?? '/', 'https://localhost').pathname !== tokenPath) return false;
    if (request.method !== 'POST') {
      answer(response, 405, { error: 'invalid_request' }, { Allow: 'POST' });
      return true;
    }
    const form = await formOf(request);
    if (!form) {
      answer(response, 413, { error: 'invalid_request' });
      return true;
    }
    const { client } = credentials;
    const [id, secret] = clientOf(request, form);
    if (id !== client.id || secret !== client.secret) {
      answer(response, 401, { error: 'invalid_client' }, { 'WWW-Authenticate': 'Basic realm="token"' });
      return true;
    }
    if (form.get('grant_type') !== 'client_credentials') {
      answer(response, 400, { error: 'unsupported_grant_type' });
      return true;
    }
    const asked = form.get('scope')?.split(' ').filter(Boolean) ?? client.holds;
    if (asked.some((scope) => !client.holds.includes(scope))) {
      answer(response, 400, { error: 'invalid_scope' });
      return true;
    }
    const { token, expiresInS } = credentials.issue({ account: client.account, holds: asked });
    answer(response, 200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresInS,
      scope: asked.join(' '),
    });
    return true;
  };
