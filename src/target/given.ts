import type { Form } from './forms.js';
import type { SettingProblem, Source } from './problems.js';
import { entryNamed } from './table.js';

/** A value as somebody wrote it, and where. */
export interface Given {
  readonly text: string;
  readonly source: Source;
}

/** Finds what was given for a setting. */
export type Find = (name: string) => Given | undefined;

export const problemOf = (
  setting: string,
  given: Given,
  form: Extract<Form<unknown>, { wrong: string }>,
): SettingProblem => {
  const entry = entryNamed(setting) ?? entryNamed('API_KEY');
  return {
    setting,
    ...(entry?.secret ? {} : { value: form.shown ?? given.text }),
    source: given.source,
    message: form.wrong,
    allowed: entry?.allowed ?? '',
    ...(form.hint ? { hint: form.hint } : {}),
  };
};
