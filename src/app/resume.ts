import { hash, scrypt } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalText, wordsIn } from '../collections.js';
import { EvidenceFile } from '../engine/resume/evidence-file.js';
import { KeptEvidence } from '../engine/resume/kept-evidence.js';
import { newSalt } from '../engine/session.js';
import { tool } from '../package.js';
import { randomHex } from '../wire/key-variants.js';
import { counted } from '../words.js';
import type { PreparedRun } from './prepare.js';

/** Settings that change how fast and how much is sent, and not what is judged. */
const pacing: ReadonlySet<string> = new Set(
  wordsIn(`
  MAX_REQUESTS RATE CONCURRENCY TIMEOUT_MS RATE_LIMIT_WAIT_S BASE_URL TARGET_NAME
`),
);

interface KeepingOptions {
  readonly only: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the evidence of this run is kept, so that another run can continue it. */
  readonly isKept: boolean;
  /** `--resume` */
  readonly resume: boolean;
}

interface Keeping {
  readonly evidence?: KeptEvidence;
  /** A message about `--resume`. */
  readonly words?: string;
}

/** The evidence of the interrupted run to continue, or a new file for the evidence of this run. */
export const keepEvidence = async (
  prepared: PreparedRun,
  { only, env, isKept, resume }: KeepingOptions,
): Promise<Keeping> => {
  const folder = stateFolder(env);
  if (!isKept) return {};
  // Whether a key is the same is not known before it is fetched, and identities have several.
  if ((prepared.target.fetchedKeys ?? []).length > 0 || (prepared.target.identities ?? []).length > 0)
    return resume ? { words: 'Not resumed: runs with fetched keys or identities are not kept. Starting anew.' } : {};
  if (folder === undefined)
    return resume ? { words: 'Nothing to resume: HOME is not set, so no run is kept. Starting anew.' } : {};
  const path = join(folder, `${fileNameOf(prepared)}.jsonl`);
  if (!resume) return { evidence: anew(prepared, only, path) };
  const before = EvidenceFile.open(path);
  if (!before) {
    const words = 'Nothing to resume: no run of this target was cut short. Starting anew.';
    return { evidence: anew(prepared, only, path), words };
  }
  const { identity, salt, startedAt } = before.head;
  const differing = differences(identity, await identityOf(prepared, only, salt));
  if (differing.length > 0) {
    before.close(false);
    const words = `Not resumed: the run of ${startedAt} had another ${differing.join(', ')}. Starting anew.`;
    return { evidence: anew(prepared, only, path), words };
  }
  const evidence = new KeptEvidence(before);
  const answers = counted(evidence.fromBefore, 'answer');
  return { evidence, words: `Resuming the run of ${startedAt}: ${answers} kept; controls are asked again.` };
};

const anew = (prepared: PreparedRun, only: KeepingOptions['only'], path: string): KeptEvidence => {
  const seed = randomHex();
  const salt = newSalt(seed);
  // Not awaited: evidence is only written once the digest is known.
  const identity = identityOf(prepared, only, salt);
  const head = { schemaVersion: 1, identity: {}, seed, salt, startedAt: new Date().toISOString() } as const;
  return new KeptEvidence(EvidenceFile.create(path, head, identity));
};

/**
 * A folder of the user that survives a reboot, outside the project. CI uploads reports, and with
 * the salt beside them, digests could be searched for values.
 */
const stateFolder = ({ XDG_STATE_HOME, LOCALAPPDATA, HOME }: KeepingOptions['env']): string | undefined => {
  const state = XDG_STATE_HOME || LOCALAPPDATA || (HOME ? join(HOME, '.local', 'state') : undefined);
  return state === undefined ? undefined : join(state, tool.name, 'interrupted');
};

const fileNameOf = ({ target: { origin, basePath, name } }: PreparedRun): string =>
  hash('sha256', `${name}\n${origin}${basePath}`).slice(0, 16);

/** Everything that must be equal to resume a run; names are used in messages. */
const identityOf = async (
  { target, contract, options, settings }: PreparedRun,
  only: KeepingOptions['only'],
  salt: string,
): Promise<Record<string, string>> => ({
  'version of the suite': tool.version,
  contract: canonicalText([contract.sha256, contract.overlays.map(({ sha256 }) => sha256), target.paths]),
  'key or certificate': await keyedDigest(
    canonicalText([target.keys, target.ca ?? '', target.clientCert?.cert ?? '']),
    salt,
  ),
  'choice of checks': canonicalText(only ?? []),
  RESOLVE: canonicalText([settings.values.RESOLVE ?? []]),
  HTTP_BASE_URL: target.httpBaseUrl ?? '',
  ...Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => !pacing.has(name))
      .map(([name, value]) => [name, canonicalText(value)]),
  ),
});

/** A slow digest, since a key may be a password. */
const keyedDigest = async (text: string, salt: string): Promise<string> => {
  const digest = await promisify<string, string, number, Buffer>(scrypt)(text, salt, 32);
  return digest.toString('hex');
};

const differences = (
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]);
