import { test } from '@playwright/test';
import { faults, startReference, variants } from '../../src/reference/index.js';
import { factsVersion } from '../../src/wire/body-shape.js';
import { type JudgedRun, judgeRunning } from '../../tests/selftest/support/judge.js';
import { judgeRecorded } from '../../tests/selftest/support/judge-recorded.js';
import { writeKillMatrix, writeTables, writeTitles } from '../../tests/selftest/support/outcome-tables.js';
import {
  conformingName,
  type Recording,
  readRecordings,
  recordedSeed,
  recordingOf,
  writeRecordings,
} from '../../tests/selftest/support/recordings.js';
import { isOutOfReach, type Server, servers } from '../../tests/selftest/support/zoo.js';

/**
 * Runs the suite against the servers of the zoo and writes down what they answer. `RECORD` names
 * servers; `all` records each; without it, those are recorded whose recording is not there or no
 * longer holds what the rules ask for.
 */

const named = (process.env.RECORD ?? '').split(/[\s,]+/).filter((name) => name !== '');

/** The same for each recording: the addresses are part of what is sent and of what comes back. */
const ports = { port: 18_443, httpPort: 18_080 };

/** A port where nobody listens is another one each time. */
const onUsualPorts = <T>(seen: T, httpBaseUrl: string): T => {
  const port = httpBaseUrl === 'none' ? '' : new URL(httpBaseUrl).port;
  return port === '' || port === String(ports.httpPort)
    ? seen
    : JSON.parse(JSON.stringify(seen).replaceAll(`:${port}`, ':18081'));
};

const record = async ({ name, settings = {} }: Server): Promise<Recording> => {
  const service = await startReference({
    ...ports,
    ...(faults.some((fault) => fault.name === name) ? { fault: name } : {}),
    ...(variants.some((variant) => variant.name === name) ? { variant: name } : {}),
  });
  try {
    const { results, exchanges } = await judgeRunning(service, {
      settings,
      exchanges: true,
      seed: recordedSeed,
      salt: recordedSeed,
    });
    const { baseUrl, httpBaseUrl } = service;
    const deployment = { baseUrl, httpBaseUrl, keys: results.recording.keys, facts: factsVersion };
    const seen = onUsualPorts({ deployment, exchanges }, httpBaseUrl);
    return recordingOf(name, seen.deployment, seen.exchanges, Date.parse(results.startedAt));
  } finally {
    await service.close();
  }
};

const kept = (): ReadonlyMap<string, Recording> => {
  try {
    return readRecordings();
  } catch {
    return new Map();
  }
};

/** `undefined` where the recording lacks what the rules ask for. */
const judgeKept = (recording: Recording, server: Server): Promise<JudgedRun | undefined> =>
  judgeRecorded(recording, server.settings).catch(() => undefined);

test('record the zoo', async () => {
  const before = kept();
  const recordings: Recording[] = [];
  const judged = new Map<string, JudgedRun>();
  let made = 0;
  for (const server of servers) {
    const { name, settings } = server;
    const old = before.get(name);
    const isWanted = named.includes('all') || named.includes(name);
    const known = old && (!isWanted || isOutOfReach(server)) ? await judgeKept(old, server) : undefined;
    if (old && known) {
      recordings.push(old);
      judged.set(name, known);
    } else if (!isOutOfReach(server)) {
      const recording = await record(server);
      recordings.push(recording);
      judged.set(name, await judgeRecorded(recording, settings));
      made += 1;
      console.log(`recorded ${name}`);
    }
  }
  if (recordings[0]?.server !== conformingName) throw new Error('the conforming service comes first');
  writeRecordings(recordings);
  writeTables(judged);
  writeKillMatrix(judged);
  writeTitles(judged);
  console.log(`${made} of ${recordings.length} recorded`);
});
