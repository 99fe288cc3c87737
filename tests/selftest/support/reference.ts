import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { type ReferenceOptions, type ReferenceService, startReference } from '../../../src/reference/index.js';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Sends one request with node:http(s) alone; rejects when the connection is closed without an
 * answer.
 */
export type Get = (path: string, headers?: OutgoingHttpHeaders | string[], method?: string) => Promise<RawAnswer>;

const getter =
  (origin: string, trust: { ca: string } | { rejectUnauthorized: false }, agent?: Agent, address?: string): Get =>
  (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const { hostname, port, protocol, host } = new URL(origin);
      const options = {
        // A name is taken for its IPv4 address, whatever this machine's list of hosts says first.
        host: address ?? hostname.replace(/^localhost$/, '127.0.0.1'),
        servername: isIP(hostname) === 0 ? hostname : '',
        port,
        path,
        method,
        // A list of fields is sent as it is, so that one may stand there twice.
        headers: Array.isArray(headers) ? ['Host', host, ...headers] : { Host: host, ...headers },
      };
      const sent =
        protocol === 'https:'
          ? httpsRequest({ ...options, ...trust, agent: agent ?? false })
          : httpRequest({ ...options, agent: false });
      sent.on('error', reject);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.end();
    });

export interface Running {
  readonly service: ReferenceService;
  /** HTTPS, a new connection each time. */
  readonly get: Get;
  /** HTTPS, whatever the certificate. */
  readonly tolerant: Get;
  /** HTTPS, one connection for all. */
  readonly kept: Get;
  readonly plain: Get;
  readonly overIpv6: Get;
  readonly plainOverIpv6: Get;
  /** Plain HTTP to the port of HTTPS. */
  readonly plainToTls: Get;
}

/** Starts the reference service, hands it over and stops it. */
export const withReference = async <T>(options: ReferenceOptions, use: (running: Running) => Promise<T>): Promise<T> =>
  withService(await startReference(options), use);

/** Hands a running service over and stops it. */
export const withService = async <T>(service: ReferenceService, use: (running: Running) => Promise<T>): Promise<T> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const { origin } = new URL(service.baseUrl);
    return await use({
      service,
      get: getter(origin, { ca: service.ca }),
      tolerant: getter(origin, { rejectUnauthorized: false }),
      kept: getter(origin, { ca: service.ca }, agent),
      overIpv6: getter(origin, { ca: service.ca }, undefined, '::1'),
      plainOverIpv6: getter(service.httpBaseUrl, { ca: service.ca }, undefined, '::1'),
      plainToTls: getter(origin.replace('https', 'http'), { ca: service.ca }),
      plain: getter(service.httpBaseUrl === 'none' ? origin.replace('https', 'http') : service.httpBaseUrl, {
        ca: service.ca,
      }),
    });
  } finally {
    agent.destroy();
    await service.close();
  }
};
