import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { behave, conforming, type Keys } from './behaviour.js';
import { writeCaFile } from './ca-file.js';
import { type Call, callOf } from './call.js';
import { type CertificateKind, certificateOf } from './certificates.js';
import { faultPlans } from './faults/index.js';
import { closedPort, type Handler, listenPlain, listenSecure } from './listen.js';
import { byName } from './nearest.js';
import type { Make } from './plan.js';
import { transmit } from './transmit.js';
import { variantPlans } from './variants/index.js';

/** Takes a request over and returns true, or leaves it to the API and returns false. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export interface ReferenceOptions {
  /** Address to listen on; `127.0.0.1`. */
  readonly host?: string;
  /** 0 (the default) takes a free one. */
  readonly port?: number;
  readonly httpPort?: number;
  /** Name of one of `faults`. */
  readonly fault?: string;
  /** Name of one of `variants`; a fault may come on top of it. */
  readonly variant?: string;
  /** 40 hex digits, made at start, where absent. */
  readonly key?: string;
  readonly certificate?: CertificateKind;
  /** Milliseconds that every answer waits. */
  readonly latencyMs?: number;
  /** Makes the web pages of the service; they share its keys. */
  readonly pages?: (keys: Keys) => PageHandler;
}

export interface ReferenceService {
  /** `https://127.0.0.1:PORT`, with the base path of the variant. */
  readonly baseUrl: string;
  /** `http://127.0.0.1:PORT`, with the base path, or `none`. */
  readonly httpBaseUrl: string;
  readonly key: string;
  /** PEM of the authority that signed the certificate. */
  readonly ca: string;
  /** A temporary file with `ca` in it; removed by `close`. */
  readonly caFile: string;
  /** RESOLVE for a run, where the host has more than one address. */
  readonly resolve?: string;
  /** Requests that arrived so far, both ports. */
  readonly requests: number;
  close(): Promise<void>;
}

const ipv6 = '::1';

const randomKey = (): string => randomBytes(20).toString('hex');

/**
 * Starts the embedded fitness data service: conforming, unless a fault is named.
 * Throws a RangeError with the nearest names for a fault or variant that does not exist.
 */
export const startReference = async (options: ReferenceOptions = {}): Promise<ReferenceService> => {
  const { host = '127.0.0.1', latencyMs = 0 } = options;
  const makes: Make[] = [];
  if (options.variant !== undefined) makes.push(byName('variant', variantPlans, options.variant));
  if (options.fault !== undefined) makes.push(byName('fault', faultPlans, options.fault));
  const make: Make = Object.assign({}, ...makes);

  const { ca, ...leaf } = await certificateOf(options.certificate ?? make.certificate ?? 'valid');
  const key = options.key ?? make.makeKey?.() ?? randomKey();
  const keys: Keys = new Map([
    [key, 'mara'],
    [randomKey(), 'tomas'],
  ]);
  const basePath = make.basePath ?? '';
  const around = { keys, basePath, httpsOrigin: '', httpOrigin: '' };
  const behaviour = behave([conforming, ...makes.flatMap(({ twist }) => twist ?? [])], around);
  const pages = options.pages?.(keys);

  let requests = 0;
  const handler =
    (secure: boolean, respond: (call: Call) => Answer | Promise<Answer>): Handler =>
    async (request, response) => {
      requests += 1;
      request.on('error', () => {});
      response.on('error', () => {});
      if (secure && request instanceof IncomingMessage && response instanceof ServerResponse) {
        if (await pages?.(request, response)) return;
      }
      request.resume();
      try {
        const answer = await respond(callOf(request, secure, basePath));
        if (latencyMs > 0) await pause(latencyMs);
        transmit(answer, request, response);
      } catch (error) {
        // A defect of the service itself: said as a server says it, and on the console of whoever started it.
        console.error(error);
        response.destroy();
      }
    };

  const tls = { ...leaf, ...make.tls, protocols: make.protocols ?? ['http/1.1'], keepAliveMs: make.keepAliveMs };
  const secure = await listenSecure(
    tls,
    handler(true, (call) => behaviour.answer(call)),
    host,
    options.port ?? 0,
    make.plainOnTlsPort && handler(false, make.plainOnTlsPort(behaviour)),
  );
  const plain = make.plainPort
    ? undefined
    : await listenPlain(
        handler(false, (call) => behaviour.plain(call)),
        host,
        options.httpPort ?? 0,
      );
  const plainPort = plain?.port ?? (make.plainPort === 'closed' ? await closedPort(host) : undefined);
  const second = make.overIpv6?.(behaviour);
  const secondPorts = second
    ? await Promise.all([
        listenSecure(
          tls,
          handler(true, (call) => second.answer(call)),
          ipv6,
          secure.port,
        ),
        ...(plain
          ? [
              listenPlain(
                handler(false, (call) => second.plain(call)),
                ipv6,
                plain.port,
              ),
            ]
          : []),
      ])
    : [];
  const name = second ? 'localhost' : host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? 'localhost' : host;
  around.httpsOrigin = `https://${name}:${secure.port}`;
  around.httpOrigin = `http://${name}:${plainPort}`;
  const { caFile, remove } = await writeCaFile(ca);

  return {
    baseUrl: around.httpsOrigin + basePath,
    httpBaseUrl: plainPort === undefined ? 'none' : around.httpOrigin + basePath,
    key,
    ca,
    caFile,
    ...(second ? { resolve: `${name}:${secure.port}:${host},${name}:${secure.port}:[${ipv6}]` } : {}),
    get requests() {
      return requests;
    },
    close: async () => {
      await Promise.all([secure.close(), plain?.close(), ...secondPorts.map(({ close }) => close()), remove()]);
    },
  };
};
