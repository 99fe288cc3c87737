import { randomBytes } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { PageHandler } from '../service.js';

/** The account that a credential stands for, and its rights. */
export interface CredentialRights {
  /** Name of the account whose data can be read. */
  readonly account: string;
  /** Roles of an account key, scopes of an access token. */
  readonly holds: readonly string[];
}

/** An OAuth access token (RFC 6749 section 1.4). */
export interface AccessToken extends CredentialRights {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The service that the token was issued for. */
  readonly audience: string;
}

interface Client extends CredentialRights {
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
  issue(grant: CredentialRights): { readonly token: string; readonly expiresInS: number } {
    const token = this.#issue({ ...grant, expiresAt: Date.now() + this.#tokenLifeMs, audience: ownAudience });
    return { token, expiresInS: Math.floor(this.#tokenLifeMs / 1000) };
  }

  token(value: string): AccessToken | undefined {
    return this.#tokens.get(value);
  }

  key(value: string): CredentialRights | undefined {
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

/** Client id and secret, from HTTP Basic (form-encoded, section 2.3.1) or from the form. */
const clientOf = (
  authorization: string,
  form: URLSearchParams,
): readonly [id: string | null, secret: string | null] => {
  const basic = /^Basic (\S+)$/i.exec(authorization)?.[1];
  if (basic === undefined) return [form.get('client_id'), form.get('client_secret')];
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':', 2);
  const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
  return [decoded.get('id'), decoded.get('secret')];
};

const tokenPath = '/oauth/token';

/** The OAuth token endpoint, with the client credentials grant (RFC 6749, section 4.4). */
export const tokenEndpoint = (credentials: Credentials): PageHandler => {
  const { client } = credentials;
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  app.use(bodyLimit({ maxSize: 16_384, onError: (c) => c.json({ error: 'invalid_request' }, 413) }));
  app.post(tokenPath, async (c) => {
    const form = new URLSearchParams(await c.req.text());
    const [id, secret] = clientOf(c.req.header('authorization') ?? '', form);
    if (id !== client.id || secret !== client.secret)
      return c.json({ error: 'invalid_client' }, 401, { 'WWW-Authenticate': 'Basic realm="token"' });
    if (form.get('grant_type') !== 'client_credentials') return c.json({ error: 'unsupported_grant_type' }, 400);
    const asked = form.get('scope')?.split(' ').filter(Boolean) ?? client.holds;
    if (asked.some((scope) => !client.holds.includes(scope))) return c.json({ error: 'invalid_scope' }, 400);
    const { token, expiresInS } = credentials.issue({ account: client.account, holds: asked });
    return c.json({ access_token: token, token_type: 'Bearer', expires_in: expiresInS, scope: asked.join(' ') });
  });
  app.all(tokenPath, (c) => c.json({ error: 'invalid_request' }, 405, { Allow: 'POST' }));
  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return async (request, response) => {
    if (new URL(request.url ?? '/', 'https://localhost').pathname !== tokenPath) return false;
    await listen(request, response);
    return true;
  };
};
