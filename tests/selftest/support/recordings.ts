import { readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { lazy } from '../../../src/collections.js';
import { asset } from '../../../src/package.js';
import type { Deployment } from '../../../src/rules/rule.js';
import { factsVersion } from '../../../src/wire/body-shape.js';
import { type Exchange, exchangeId, type Probe, type Response, type TlsFacts } from '../../../src/wire/types.js';
import { ValueReader, ValueWriter } from './shared-values.js';

/**
 * What each server of the zoo answered to every request of a whole run over real sockets, so that
 * rules can be judged without any. Three text files, sorted, in which nothing is written twice:
 * - `probes.txt`: each request, by the id of its exchange;
 * - `answers.txt`: each answer, by a digest of it; parts that many answers share are lines of their
 *   own;
 * - `servers.txt`: for each server which request got which answer, where that is not the answer of
 *   the conforming service.
 */

const fileOf = (name: string): string => asset('tests', 'selftest', 'rules', 'recorded', name);

/** How to make the recordings anew. */
export const recordCommand = (server = ''): string => `npm run record-zoo${server === '' ? '' : ` -- ${server}`}`;

/** The service without fault or variant, with which the others are compared. */
export const conformingName = 'conforming';

/** Stands for the time of every recorded run. */
const recordedAt = Date.parse('2026-01-01T00:00:00Z');

/** What of a deployment is not told by the settings of the fault or variant. */
export interface RecordedDeployment {
  readonly baseUrl: string;
  readonly httpBaseUrl: string;
  readonly keys: Deployment['keys'];
  /** Version of the facts of bodies. */
  readonly facts: number;
}

export interface Recording {
  readonly server: string;
  readonly deployment: RecordedDeployment;
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** What a request gets that was not recorded. It is an error when absent. */
  readonly lacking?: (probe: Probe) => Exchange;
}

/** All runs draw the same random keys, paths and digests. */
export const recordedSeed = 'recorded';
export const recordedTime = recordedAt;

const day = 86_400_000;

/** Certificates are made for a run: their dates are kept as days before or after it. */
const tlsAsRecorded = (tls: TlsFacts, startedAt: number): TlsFacts => {
  const shifted = (date: string): string =>
    new Date(recordedAt + Math.round((Date.parse(date) - startedAt) / day) * day).toISOString();
  return {
    ...tls,
    chain: tls.chain.map((certificate) => ({
      ...certificate,
      validFrom: shifted(certificate.validFrom),
      validTo: shifted(certificate.validTo),
      fingerprint256: '',
    })),
  };
};

/** Half seconds are enough to tell a late or a missing answer from one that came at once. */
const roughly = (ms: number): number => (ms < 1_000 ? 1 : Math.round(ms / 500) * 500);

/** How long silence lasted, which may be a tenth of a wait, counts beside how long answers take. */
const durationOf = ({ error, timing: { total } }: Exchange['attempts'][number]): number =>
  error?.code.endsWith('-timeout') ? Math.max(1, Math.round(total / 100) * 100) : roughly(total);

type Answer = Pick<Exchange, 'attempts' | 'connection'>;

/** What judges look at, without what differs each time. */
const answerAsRecorded = ({ attempts, connection }: Exchange, startedAt: number): Answer => ({
  connection: { ...connection, reused: false },
  attempts: attempts.map((attempt) => {
    const { response, partial, error, tls, timing } = attempt;
    const undated = ({ body: _body, ...given }: Response): Response => ({
      ...given,
      headers: given.headers.filter(([name]) => name.toLowerCase() !== 'date'),
    });
    const { sinceBefore } = timing;
    return {
      ...(response ? { response: undated(response) } : {}),
      ...(partial ? { partial: undated(partial) } : {}),
      ...(error ? { error } : {}),
      ...(tls ? { tls: tlsAsRecorded(tls, startedAt) } : {}),
      timing: {
        total: durationOf(attempt),
        ...(sinceBefore === undefined ? {} : { sinceBefore: roughly(sinceBefore) }),
      },
    };
  }),
});

/** The recording of a run that began at `startedAt`. */
export const recordingOf = (
  server: string,
  deployment: RecordedDeployment,
  exchanges: readonly Exchange[],
  startedAt: number,
): Recording => ({
  server,
  deployment,
  exchanges: new Map(
    exchanges.map((seen) => {
      const exchange = exchangeOf(seen.probe, answerAsRecorded(seen, startedAt));
      return [exchange.id, exchange] as const;
    }),
  ),
});

/** Where a connection to an origin without a name leads. */
const usualAddress = ({ origin }: Probe): string => {
  const { hostname, host } = new URL(origin);
  return isIP(hostname) === 0 ? '' : host;
};

const exchangeOf = (probe: Probe, { attempts, connection }: Answer): Exchange => ({
  id: exchangeId(probe),
  probe,
  request: { method: probe.method, url: `${probe.origin}${probe.target}`, headers: probe.headers },
  attempts,
  connection: { address: usualAddress(probe), ...connection },
});

/** An answer as it is written: the address only where it is not the usual one. */
const answerOf = ({ probe, attempts, connection: { address, ...connection } }: Exchange): Answer => ({
  attempts,
  connection: address === undefined || address === usualAddress(probe) ? connection : { ...connection, address },
});

/** Where the conforming service was asked and this server was not. */
const notAsked = '-';

const linesOf = (name: string): readonly string[] =>
  readFileSync(fileOf(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/**
 * Reads what was recorded, once a process. @throws Error where it cannot be used, with the command
 * that makes it anew
 */
export const readRecordings = lazy((): ReadonlyMap<string, Recording> => {
  const probes = new Map(
    linesOf('probes.txt').map((line) => [line.slice(0, 12), JSON.parse(line.slice(13)) as Probe] as const),
  );
  const answers = new ValueReader(linesOf('answers.txt'));
  const recordings = new Map<string, Recording>();
  let usual: ReadonlyMap<string, string> = new Map();
  for (const block of readFileSync(fileOf('servers.txt'), 'utf8').split('\n\n')) {
    const [server = '', head = '', ...lines] = block.trim().split('\n');
    const deployment = JSON.parse(head) as RecordedDeployment;
    if (deployment.facts !== factsVersion)
      throw new Error(`the recording of ${server} has facts of version ${deployment.facts}: ${recordCommand('all')}`);
    const found = new Map(usual);
    for (const line of lines) {
      const [id = '', answer = ''] = line.split(' ');
      if (answer === notAsked) found.delete(id);
      else found.set(id, answer);
    }
    if (server === conformingName) usual = found;
    const exchanges = lazy(() => {
      const all = new Map<string, Exchange>();
      for (const [id, answer] of found) {
        const probe = probes.get(id);
        if (probe) all.set(id, exchangeOf(probe, answers.get(answer) as Answer));
      }
      return all;
    });
    recordings.set(server, {
      server,
      deployment,
      get exchanges() {
        return exchanges();
      },
    });
  }
  return recordings;
});

/** Writes recordings, that of the conforming service first and the others in the order given. */
export const writeRecordings = (recordings: readonly Recording[]): void => {
  const answers = new ValueWriter();
  const probes = new Map<string, string>();
  const named = recordings.map(({ server, deployment, exchanges }) => ({
    server,
    deployment,
    found: new Map(
      [...exchanges].map(([id, exchange]) => {
        if (!probes.has(id)) probes.set(id, JSON.stringify(exchange.probe));
        return [id, answers.add(answerOf(exchange))] as const;
      }),
    ),
  }));
  const usual = named.find(({ server }) => server === conformingName)?.found ?? new Map<string, string>();
  const blocks = named.map(({ server, deployment, found }) => {
    const lines: string[] = [];
    for (const [id, answer] of found) if (found === usual || usual.get(id) !== answer) lines.push(`${id} ${answer}`);
    for (const id of usual.keys()) if (!found.has(id)) lines.push(`${id} ${notAsked}`);
    return [server, JSON.stringify(deployment), ...lines.sort()].join('\n');
  });
  writeFileSync(
    fileOf('probes.txt'),
    `${[...probes]
      .map(([id, text]) => `${id} ${text}`)
      .sort()
      .join('\n')}\n`,
  );
  writeFileSync(fileOf('answers.txt'), `${answers.lines().join('\n')}\n`);
  writeFileSync(fileOf('servers.txt'), `${blocks.join('\n\n')}\n`);
};
