import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Behaviour, composeBehaviour, conforming, type Keys } from './behaviour.js';
import { type CertificateKind, certificateOf, writeCaFile } from './certificates.js';
import { byName, type FaultDefinition, type ServiceChanges, type VariantDefinition } from './definitions.js';
import { bundledChangeFaults } from './faults/bundled-changes.js';
import { documentedRequestFaults } from './faults/documented-request.js';
import { invalidKeyFaults } from './faults/invalid-keys.js';
import { leakyFieldFaults } from './faults/leaky-fields.js';
import { leakyRefusalFaults } from './faults/leaky-refusals.js';
import { leftoverFaults } from './faults/leftovers.js';
import { certificateFaults, ipv6Faults, plainHttpPathFaults } from './faults/listeners.js';
import { formatFaults, methodFaults, queryParameterFaults } from './faults/other-requests.js';
import { otherSchemeFaults } from './faults/other-schemes.js';
import { pathSpellingFaults } from './faults/path-spellings.js';
import { plainHttpFaults } from './faults/plain-http.js';
import { proxyFieldFaults } from './faults/proxy-fields.js';
import { publicResourceFaults } from './faults/public-resources.js';
import { closedPort, type Handler, listenPlain, listenSecure, transmit } from './listen.js';
import { type Answer, type Call, callOf } from './messages.js';
import { ambiguousAnswerVariants, undecidableVariants } from './variants/ambiguous-answers.js';
import { bodyFormatVariants } from './variants/body-formats.js';
import { deliveryVariants } from './variants/delivery.js';
import { formatVariants } from './variants/formats.js';
import { frameworkVariants } from './variants/frameworks.js';
import { keyFormatVariants } from './variants/key-formats.js';
import { limitVariants } from './variants/limits-and-outages.js';
import { pathVariants } from './variants/paths.js';
import { plainHttpVariants } from './variants/plain-http.js';
import { publicResourceVariants } from './variants/public-resources.js';
import { refusalVariants } from './variants/refusals.js';

/** Every fault: transport, paths and key placement, access without a key, public resources. */
export const faultDefinitions: readonly FaultDefinition[] = [
  ...plainHttpFaults,
  ...plainHttpPathFaults,
  ...certificateFaults,
  ...documentedRequestFaults,
  ...invalidKeyFaults,
  ...otherSchemeFaults,
  ...leakyRefusalFaults,
  ...leakyFieldFaults,
  ...pathSpellingFaults,
  ...methodFaults,
  ...formatFaults,
  ...proxyFieldFaults,
  ...bundledChangeFaults,
  ...queryParameterFaults,
  ...leftoverFaults,
  ...ipv6Faults,
  ...publicResourceFaults,
];

/** Every variant, including counterparts of faults. The last ones cannot be judged. */
export const variantDefinitions: readonly VariantDefinition[] = [
  ...keyFormatVariants,
  ...refusalVariants,
  ...formatVariants,
  ...bodyFormatVariants,
  ...ambiguousAnswerVariants,
  ...pathVariants,
  ...frameworkVariants,
  ...publicResourceVariants,
  ...plainHttpVariants,
  ...deliveryVariants,
  ...limitVariants,
  ...faultDefinitions.flatMap(({ counterpart }) => counterpart ?? []),
  ...undecidableVariants,
];

/** Answers a request and returns true, or returns false to leave it to the API. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export interface ReferenceOptions {
  /** Address to listen on. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  readonly httpPort?: number;
  /** Name of one of `faults`. */
  readonly fault?: string;
  /** Name of one of `variants`. Can be combined with a fault. */
  readonly variant?: string;
  /** Default: 40 random hex digits. */
  readonly key?: string;
  readonly certificate?: CertificateKind;
  /** Delay of every answer in milliseconds. */
  readonly latencyMs?: number;
  /** Creates the web pages of the service, which share its keys. */
  readonly pages?: (keys: Keys) => PageHandler;
}

export interface ReferenceService {
  /** `https://127.0.0.1:PORT`, with the base path of the variant. */
  readonly baseUrl: string;
  /** `http://127.0.0.1:PORT` with the base path, or `none`. */
  readonly httpBaseUrl: string;
  readonly key: string;
  /** PEM certificate of the authority that signed the certificate. */
  readonly ca: string;
  /** Path of a temporary file with `ca`; removed by `close`. */
  readonly caFile: string;
  /** The setting RESOLVE for a run, where the host has two addresses. */
  readonly resolve?: string;
  /** Number of requests so far, on both ports. */
  readonly requests: number;
  close(): Promise<void>;
}

const ipv6 = '::1';

const randomKey = (): string => randomBytes(20).toString('hex');

/**
 * Starts the embedded fitness data service: conforming, unless a fault is named.
 * @throws RangeError for an unknown fault or variant; suggests the nearest name
 */
export const startReference = async (options: ReferenceOptions = {}): Promise<ReferenceService> => {
  const changes: ServiceChanges[] = [];
  if (options.variant !== undefined) changes.push(byName('variant', variantDefinitions, options.variant));
  if (options.fault !== undefined) changes.push(byName('fault', faultDefinitions, options.fault));
  return startChanged(changes, options);
};

/** Starts the service with any changes, not only those of named faults and variants. */
export const startChanged = async (
  makes: readonly ServiceChanges[],
  options: Omit<ReferenceOptions, 'fault' | 'variant'> = {},
): Promise<ReferenceService> => {
  const { host = '127.0.0.1', latencyMs = 0 } = options;
  const make: ServiceChanges = Object.assign({}, ...makes);

  const { ca, ...leaf } = await certificateOf(options.certificate ?? make.certificate ?? 'valid');
  const key = options.key ?? make.makeKey?.() ?? randomKey();
  const keys: Keys = new Map([
    [key, 'mara'],
    [randomKey(), 'tomas'],
  ]);
  const basePath = make.basePath ?? '';
  const service = { keys, basePath, httpsOrigin: '', httpOrigin: '' };
  const behaviour = composeBehaviour([conforming, ...makes.flatMap(({ override }) => override ?? [])], service);
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
        // A bug of the service itself.
        console.error(error);
        response.destroy();
      }
    };

  const tls = { ...leaf, ...make.tls, protocols: make.protocols ?? ['http/1.1'], keepAliveMs: make.keepAliveMs };
  const onTlsPort = make.plainOnTlsPort && handler(false, make.plainOnTlsPort(behaviour));
  const answering = (by: Pick<Behaviour, 'answer'>): Handler => handler(true, (call) => by.answer(call));
  const inPlain = (by: Pick<Behaviour, 'plain'>): Handler => handler(false, (call) => by.plain(call));
  const secure = await listenSecure(tls, answering(behaviour), host, options.port ?? 0, onTlsPort);
  const plain = make.plainPort
    ? undefined
    : await listenPlain(inPlain(behaviour), host, options.httpPort ?? 0, make.plainHttp2);
  const plainPort = plain?.port ?? (make.plainPort === 'closed' ? await closedPort(host) : undefined);
  const second = make.overIpv6?.(behaviour);
  const secondPorts = second
    ? await Promise.all([
        listenSecure(tls, answering(second), ipv6, secure.port),
        ...(plain ? [listenPlain(inPlain(second), ipv6, plain.port)] : []),
      ])
    : [];
  const name = second ? 'localhost' : host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? 'localhost' : host;
  service.httpsOrigin = `https://${name}:${secure.port}`;
  service.httpOrigin = `http://${name}:${plainPort}`;
  const { caFile, remove } = await writeCaFile(ca);

  return {
    baseUrl: service.httpsOrigin + basePath,
    httpBaseUrl: plainPort === undefined ? 'none' : service.httpOrigin + basePath,
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
