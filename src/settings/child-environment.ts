import { type SettingEntry, schemeKey, settingsTable } from './table.js';

const secretNames: readonly string[] = settingsTable.flatMap((entry: SettingEntry) =>
  entry.secret ? [entry.name] : [],
);

/**
 * The environment of a program that this process starts, without variables that are or contain the
 * suite's secrets.
 */
export const environmentWithoutSecrets = (
  env: Readonly<Record<string, string | undefined>>,
  holdsSecret: (value: string) => boolean,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value = '']) =>
      secretNames.includes(name) || schemeKey.test(name) || holdsSecret(value) ? [] : [[name, value]],
    ),
  );
