import { readFileSync } from 'node:fs';
import { canonical, isObject, type Json } from '../collections.js';
import { type Baseline, isComparable } from '../engine/facts.js';
import type { Results } from '../engine/results.js';
import { messageOf } from '../errors.js';
import type { Settings } from '../settings/settings.js';
import { SettingsError } from '../settings/settings-error.js';
import { jsonText } from '../visible.js';

const wrong = (message: string): never => {
  throw new SettingsError([
    {
      setting: 'BASELINE',
      message,
      allowed: 'an access-baseline.json of schemaVersion 1',
      hint: 'access-conformance baseline writes one from the results of a run',
    },
  ]);
};

/**
 * The facts that the settings name.
 * @throws {SettingsError} where the file cannot be read or is no baseline
 */
export const baselineIn = ({ values }: Settings): Baseline | undefined => {
  const { BASELINE: file, FAIL_ON_DRIFT: fails } = values;
  if (file === undefined)
    return fails ? wrong('it is not set, and FAIL_ON_DRIFT=true has nothing to compare with') : undefined;
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return wrong(`it is no JSON file that can be read (${messageOf(error).split('\n', 1)})`);
  }
  if (!isObject(document) || document.schemaVersion !== 1 || !isObject(document.facts) || !isObject(document.contract))
    return wrong('it is no baseline: it needs schemaVersion 1, contract and facts');
  const facts = document.facts as Readonly<Record<string, Json>>;
  return { facts, contract: { sha256: String(document.contract.sha256) }, fails };
};

/** `access-baseline.json` of a run, without facts that change by themselves. */
export const baselineText = ({ contract, facts: all }: Pick<Results, 'contract' | 'facts'>): string => {
  const { title, version, sha256 } = contract;
  const facts = Object.fromEntries(all.filter(isComparable).map(({ id, value }) => [id, canonical(value)]));
  return `${jsonText({ schemaVersion: 1, contract: { title, version, sha256 }, facts }, 2)}\n`;
};
