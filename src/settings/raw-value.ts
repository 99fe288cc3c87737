import type { SettingProblem, Source } from './settings-error.js';
import { entryNamed, keyFiles } from './table.js';
import type { Parsed } from './value-parsers.js';

/** A value as somebody wrote it, and where. */
export interface RawValue {
  readonly text: string;
  readonly source: Source;
}

/** Finds what was given for a setting. */
export type FindValue = (name: string) => RawValue | undefined;

/**
 * A file name as people write them. Somebody may have given the key itself where the name of its
 * file is asked for.
 */
const looksLikePath = (text: string): boolean =>
  !/[+=\s]/.test(text) &&
  (/^(?:[./~\\]|[a-z]:[\\/])/i.test(text) || /\.[a-z]{1,5}$/i.test(text) || /^[a-z]{1,12}$/.test(text));

/** The value of a setting as a message may show it; nothing of a secret. */
export const printableValue = (
  setting: string,
  { text }: RawValue,
  shown?: string,
): { readonly value?: string; readonly hint?: string } => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  if (entry?.secret) return {};
  if (keyFiles.includes(setting) && !looksLikePath(text))
    return { hint: 'this takes the name of a file; what was given is not shown, it may be the key itself' };
  return { value: shown ?? text };
};

export const problemOf = (
  setting: string,
  given: RawValue,
  form: Extract<Parsed<unknown>, { wrong: string }>,
): SettingProblem => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  return {
    setting,
    ...printableValue(setting, given, form.shown),
    source: given.source,
    message: form.wrong,
    allowed: entry?.allowed ?? '',
    ...(form.hint ? { hint: form.hint } : {}),
  };
};
