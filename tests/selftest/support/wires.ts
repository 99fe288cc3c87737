import type { WireOptions } from '../../../src/wire/attempt.js';
import { WireClient } from '../../../src/wire/client.js';
import { KeyRing } from '../../../src/wire/keyring.js';
import type { Attempt, Exchange, Probe } from '../../../src/wire/types.js';
import type { RawServer } from './raw-server.js';

export const testKey = 'c0ffee5ca1ab1e00decafbad0ddba11facade123';

export const ringOf = (key = testKey): KeyRing => new KeyRing({ keys: { API_KEY: key }, seed: 'self-test' });

export const probe = (origin: string, changes: Partial<Probe> = {}): Probe => ({
  operation: 'listWorkouts',
  name: 'a self-test',
  method: 'GET',
  origin,
  target: '/api/v2/workout/',
  headers: [],
  connection: 'shared',
  protocol: 'http/1.1',
  round: 1,
  ...changes,
});

export const withKey: Probe['headers'] = [['Authorization', 'Token <API_KEY>']];

/** A wire for the server; what has to time out says after how long. */
export const wireFor = (server: Pick<RawServer, 'origin' | 'ca'>, changes: Partial<WireOptions> = {}) =>
  new WireClient({
    origin: server.origin,
    keys: ringOf(),
    salt: 'self-test',
    ...(server.ca ? { ca: server.ca } : {}),
    insecureTls: false,
    timeoutMs: 30_000,
    concurrency: 8,
    rateLimitWaitS: 5,
    probeKeyInUrl: false,
    resolve: [],
    ...changes,
  });

export const lastOf = (exchange: Exchange): Attempt => {
  const last = exchange.attempts.at(-1);
  if (!last) throw new Error('an exchange has at least one attempt');
  return last;
};
