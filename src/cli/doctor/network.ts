import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { codeOf, messageOf } from '../../errors.js';
import type { Target } from '../../settings/target.js';
import { endpointOf, fixedAt } from '../../wire/addresses.js';
import { Dialler } from '../../wire/connect.js';
import { bypassesProxy } from '../../wire/proxy.js';
import type { Probe } from '../../wire/types.js';

/** The result of one check of the setup. `trouble` prevents a useful run, `doubt` may. */
export interface Diagnosis {
  /** The subject of the check, two or three words. */
  readonly what: string;
  readonly state: 'well' | 'doubt' | 'trouble' | 'skipped';
  readonly says: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Diagnoses of one subject. */
export const about = (what: string) => ({
  well: (says: string): Diagnosis => ({ what, state: 'well', says }),
  doubt: (says: string, advice: string): Diagnosis => ({ what, state: 'doubt', says, advice }),
  trouble: (says: string, advice: string): Diagnosis => ({ what, state: 'trouble', says, advice }),
  skipped: (says: string): Diagnosis => ({ what, state: 'skipped', says }),
});

/** A request of the doctor's own: GET, without a key. */
export const plainProbe = (operation: string, name: string, origin: string, target: string): Probe => ({
  operation,
  name,
  method: 'GET',
  origin,
  target,
  headers: [],
  connection: 'shared',
  protocol: 'http/1.1',
  round: 1,
});

const behindProxy = (target: Target): boolean => {
  const { host, port } = endpointOf(target.origin);
  return target.proxy !== undefined && !bypassesProxy(target.proxy.noProxy, host, port);
};

/** Asks the proxy for a tunnel to the target, and sends nothing through it. */
const askProxy = async (target: Target, shown: string): Promise<Diagnosis> => {
  const { well, trouble } = about('proxy');
  const place = endpointOf(target.origin);
  const dialler = new Dialler(target);
  try {
    const { socket } = await dialler.dial({ ...place, scheme: 'http' }, { alpn: [], onSocket: () => {} });
    socket.destroy();
    return well(`HTTPS_PROXY leads to ${place.host} through ${shown}, which opens the tunnel.`);
  } catch (error) {
    return trouble(
      `HTTPS_PROXY leads nowhere: ${messageOf(error)}.`,
      'Nothing was seen of the target. Look at HTTPS_PROXY, or name the host in NO_PROXY where it is reached directly.',
    );
  }
};

export const proxyVariables = async (
  target: Target,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Diagnosis> => {
  const { well, doubt } = about('proxy');
  const { host } = endpointOf(target.origin);
  if (target.proxy) {
    const { hostname, port } = new URL(target.proxy.url);
    const shown = `${hostname}${port ? `:${port}` : ''}`;
    return behindProxy(target)
      ? askProxy(target, shown)
      : well(`HTTPS_PROXY (${shown}) is set, and NO_PROXY leaves ${host} out.`);
  }
  const other = ['ALL_PROXY', 'all_proxy'].find((name) => env[name]);
  if (!other) return well('None is set; the target is reached directly.');
  const advice = 'If the target is only reached through that proxy, set HTTPS_PROXY.';
  return doubt(`${other} is set, which is not read.`, advice);
};

export const nameService = async (target: Target): Promise<Diagnosis> => {
  const { well, trouble, skipped } = about('DNS');
  const place = endpointOf(target.origin);
  if (behindProxy(target)) return skipped('The proxy looks the name up.');
  const [fixed] = fixedAt(target.resolve, place);
  if (fixed) return well(`RESOLVE says that ${place.host} is ${fixed}.`);
  if (isIP(place.host)) return well(`${place.host} is an address; there is nothing to look up.`);
  try {
    const addresses = await lookup(place.host, { all: true });
    return well(`${place.host} is ${addresses.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    return trouble(
      `${place.host} cannot be looked up (${codeOf(error)}).`,
      'Look at the spelling in BASE_URL. A preview that has no name yet is reached with RESOLVE=host:port:address.',
    );
  }
};

export const openPort = async (target: Target): Promise<Diagnosis> => {
  const { well, trouble, skipped } = about('port');
  const place = endpointOf(target.origin);
  if (behindProxy(target)) return skipped('The proxy makes the connection.');
  const { host, port } = place;
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host: fixedAt(target.resolve, place)[0] ?? host, port });
    const end = (result: string | undefined): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(target.timeoutMs, () => end('ETIMEDOUT'));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
  if (code === undefined) return well(`${host} takes connections on port ${port}.`);
  const refused = `${host} refuses connections on port ${port}.`;
  if (code === 'ECONNREFUSED') return trouble(refused, 'Is the service running, and is this its HTTPS port?');
  if (code === 'ETIMEDOUT')
    return trouble(
      `Port ${port} of ${host} does not answer within ${target.timeoutMs} ms.`,
      'A firewall may drop the packets: allow this machine, use a proxy (HTTPS_PROXY), or raise TIMEOUT_MS.',
    );
  return trouble(`Port ${port} of ${host} cannot be reached (${code}).`, 'Look at the network of this machine.');
};
