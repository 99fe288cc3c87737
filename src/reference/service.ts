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
import { closedPort, type Handler, listenPlain, listenSecure, type TlsOptions, transmit } from './listen.js';
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
  const counter = { requests: 0 };
  const { latencyMs = 0 } = options;
  const handling = { pages: options.pages?.(keys), basePath, latencyMs, counter };
  const tls = { ...leaf, ...make.tls, protocols: make.protocols ?? ['http/1.1'], keepAliveMs: make.keepAliveMs };
  const { name, resolve, securePort, plainPort, close } = await listenAt(tls, make, behaviour, handling, options);
  service.httpsOrigin = `https://${name}:${securePort}`;
  service.httpOrigin = `http://${name}:${plainPort}`;
  const { caFile, remove } = await writeCaFile(ca);
  return {
    baseUrl: service.httpsOrigin + basePath,
    httpBaseUrl: plainPort === undefined ? 'none' : service.httpOrigin + basePath,
    key,
    ca,
    caFile,
    ...(resolve === undefined ? {} : { resolve }),
    get requests() {
      return counter.requests;
    },
    close: async () => {
      await Promise.all([close(), remove()]);
    },
  };
};

interface Handling {
  readonly pages: PageHandler | undefined;
  readonly basePath: string;
  readonly latencyMs: number;
  readonly counter: { requests: number };
}

/** Counts a request, and answers it: by the pages, or by `respond`. */
const handlerOf =
  (
    { pages, basePath, latencyMs, counter }: Handling,
    secure: boolean,
    respond: (call: Call) => Answer | Promise<Answer>,
  ): Handler =>
  async (request, response) => {
    counter.requests += 1;
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

interface Listeners extends Pick<ReferenceService, 'resolve'> {
  readonly name: string;
  readonly securePort: number;
  /** `undefined` if there is no plain HTTP. */
  readonly plainPort: number | undefined;
  readonly close: () => Promise<unknown>;
}

/** Opens the ports: over TLS, in plain HTTP, and both over IPv6 if a change says so. */
const listenAt = async (
  tls: TlsOptions,
  make: ServiceChanges,
  behaviour: Behaviour,
  handling: Handling,
  { host = '127.0.0.1', port = 0, httpPort = 0 }: Pick<ReferenceOptions, 'host' | 'port' | 'httpPort'>,
): Promise<Listeners> => {
  const inTls = (by: Pick<Behaviour, 'answer'>): Handler => handlerOf(handling, true, (call) => by.answer(call));
  const inPlain = (by: Pick<Behaviour, 'plain'>): Handler => handlerOf(handling, false, (call) => by.plain(call));
  const onTlsPort = make.plainOnTlsPort && handlerOf(handling, false, make.plainOnTlsPort(behaviour));
  const secure = await listenSecure(tls, inTls(behaviour), host, port, onTlsPort);
  const plain = make.plainPort ? undefined : await listenPlain(inPlain(behaviour), host, httpPort, make.plainHttp2);
  const plainPort = plain?.port ?? (make.plainPort === 'closed' ? await closedPort(host) : undefined);
  const overIpv6 = make.overIpv6?.(behaviour);
  const others = overIpv6
    ? await Promise.all([
        listenSecure(tls, inTls(overIpv6), ipv6, secure.port),
        ...(plain ? [listenPlain(inPlain(overIpv6), ipv6, plain.port)] : []),
      ])
    : [];
  const name = overIpv6 || host === '0.0.0.0' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    name,
    securePort: secure.port,
    plainPort,
    ...(overIpv6 ? { resolve: `${name}:${secure.port}:${host},${name}:${secure.port}:[${ipv6}]` } : {}),
    close: () => Promise.all([secure, ...(plain ? [plain] : []), ...others].map((one) => one.close())),
  };
};
