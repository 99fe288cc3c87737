import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PageHandler } from '../service.js';

/** The account that a credential stands for, and its rights. */
export interface Grant {
  /** Name of the account whose data can be read. */
  readonly account: string;
  /** Roles of an account key, scopes of an access token. */
  readonly holds: readonly string[];
}

/** An OAuth access token (RFC 6749 section 1.4). */
export interface AccessToken extends Grant {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The service that the token was issued for. */
  readonly audience: string;
}

interface Client extends Grant {
  readonly id: string;
  readonly secret: string;
}

/** The audience of this service. Tokens with another audience are rejected. */
export const ownAudience = 'fitness';

const secret = (): string => randomBytes(20).toString('hex');

/** The credentials that the service accepts, created at each start. */
export class Credentials {
  readonly #tokenLifeMs: number;
  readonly #tokens = new Map<string, AccessToken>();

  /** Keys of people, sent as `Authorization: Token <key>`. */
  readonly keys = {
    mara: { key: secret(), account: 'mara', holds: ['member'] },
    tomas: { key: secret(), account: 'tomas', holds: ['member'] },
    ilse: { key: secret(), account: 'ilse', holds: ['member', 'auditor'] },
    /** A second key of mara's account, which opens only the catalogue. */
    guest: { key: secret(), account: 'mara', holds: ['guest'] },
  };

  /** Keys of devices, sent as `X-Device-Key: <key>` beside the key of the account. */
  readonly devices = { mara: secret(), tomas: secret() };

  /** A client that reads the reports and has no personal account. */
  readonly client: Client = { id: 'report-robot', secret: secret(), account: 'report-robot', holds: ['read:reports'] };

  /** Tokens that open nothing: one has expired, the other was issued for another service. */
  readonly expiredToken: string;
  readonly foreignToken: string;

  /** @param tokenLifeMs lifetime of an access token in milliseconds */
  constructor(tokenLifeMs: number) {
    this.#tokenLifeMs = tokenLifeMs;
    this.expiredToken = this.#issue({ ...this.client, expiresAt: Date.now() - 86_400_000, audience: ownAudience });
    this.foreignToken = this.#issue({
      ...this.client,
      expiresAt: Date.now() + 30 * 86_400_000,
      audience: 'newsletter',
    });
  }

  /** Issues a new access token. */
  issue(grant: Grant): { readonly token: string; readonly expiresInS: number } {
    const token = this.#issue({ ...grant, expiresAt: Date.now() + this.#tokenLifeMs, audience: ownAudience });
    return { token, expiresInS: Math.floor(this.#tokenLifeMs / 1000) };
  }

  token(value: string): AccessToken | undefined {
    return this.#tokens.get(value);
  }

  key(value: string): Grant | undefined {
    return Object.values(this.keys).find(({ key }) => key === value);
  }

  /** The account that a device belongs to. */
  ownerOfDevice(value: string): string | undefined {
    return Object.entries(this.devices).find(([, key]) => key === value)?.[0];
  }

  #issue({ account, holds, expiresAt, audience }: AccessToken): string {
    const token = secret();
    this.#tokens.set(token, { account, holds, expiresAt, audience });
    return token;
  }
}

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
