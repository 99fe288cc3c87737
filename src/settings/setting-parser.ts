import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { orUndefined, wordsIn } from '../collections.js';
import { codeOf, messageOf } from '../errors.js';
import { didYouMean } from '../names.js';
import { type SettingEntry, settingsTable } from './table.js';
import {
  type Parsed,
  type Pem,
  parseBaseText,
  parseDocumentUrl,
  parseHttpBase,
  parsePageUrl,
  parseRate,
  parseResolveEntry,
  parseResourcePath,
  parseTokenUrl,
} from './value-parsers.js';

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A readable file; a pipe is one too. */
export const parseFile = (path: string): Parsed<string> => {
  try {
    if (statSync(path).isDirectory()) return { wrong: 'this is a folder, not a file.' };
    accessSync(path, constants.R_OK);
    return { value: path };
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOENT') return { wrong: `the file cannot be read (${code}).` };
    return {
      wrong: /(?:^|[\\/])https?:[\\/]/i.test(path)
        ? 'nothing is read from the network: download it.'
        : 'there is no such file.',
    };
  }
};

/** Whether a value names something on the web; a path never has two slashes behind a scheme. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

const parseInteger = ({ minimum, maximum, orWord }: SettingEntry, text: string): Parsed<number | string> => {
  if (text === orWord) return { value: text };
  if (!/^[0-9]{1,9}$/.test(text)) return { wrong: 'it is no whole number.' };
  const value = Number(text);
  if (minimum !== undefined && value < minimum) return { wrong: `it is below ${minimum}.` };
  return maximum !== undefined && value > maximum ? { wrong: `it is above ${maximum}.` } : { value };
};

const parseList = (text: string, ofOne: (part: string) => Parsed<unknown>): Parsed<readonly unknown[]> => {
  const parts = listOf(text);
  const values: unknown[] = [];
  for (const part of parts) {
    const form = ofOne(part);
    if (form.wrong !== undefined) return form;
    values.push(form.value);
  }
  return values.length > 0 ? { value: values } : { wrong: 'it lists nothing.' };
};

export const parseSetting = (entry: SettingEntry, text: string, cwd: string): Parsed<unknown> => {
  switch (entry.kind) {
    case 'boolean': {
      const value = booleans.get(text.toLowerCase());
      return value === undefined ? { wrong: 'it says neither yes nor no.' } : { value };
    }
    case 'integer':
      return parseInteger(entry, text);
    case 'choice': {
      const { choices = [] } = entry;
      if (choices.includes(text)) return { value: text };
      return { wrong: 'it takes no such value.', hint: didYouMean(text, choices) };
    }
    case 'file':
      return parseFile(resolve(cwd, text));
    case 'document':
      return isWebAddress(text) ? parseDocumentUrl(text) : parseFile(resolve(cwd, text));
    case 'files':
      return parseList(text, (name) => {
        const form = parseFile(resolve(cwd, name));
        return form.wrong === undefined ? form : { ...form, wrong: `${name}: ${form.wrong}` };
      });
    case 'folder': {
      const value = resolve(cwd, text);
      // A folder with a default is created.
      const isThere = entry.default !== undefined || statSync(value, { throwIfNoEntry: false })?.isDirectory();
      return isThere ? { value } : { wrong: 'there is no such folder.' };
    }
    case 'rate':
      return parseRate(text);
    case 'path':
      return parseResourcePath(text);
    case 'list':
      return parseList(text, (part) => {
        const form = parseResolveEntry(part);
        return form.wrong === undefined ? { value: part } : form;
      });
    case 'url':
      if (entry.name === 'BASE_URL') return parseBaseText(text, 'https');
      if (entry.name === 'OAUTH_TOKEN_URL') return parseTokenUrl(text);
      return entry.name === 'HTTP_BASE_URL' ? parseHttpBase(text) : parsePageUrl(text);
    case 'text':
      return /\p{Cc}/u.test(text) ? { wrong: 'it has a control character in it.' } : { value: text };
  }
};

/** Settings whose values may be shown. */
export const printableSettings: readonly SettingEntry[] = settingsTable.filter(
  (entry: SettingEntry) => !entry.secret && entry.name !== 'NO_PROXY',
);

type Report = (setting: string, problem: { readonly wrong: string; readonly hint?: string }) => void;

const holdsCertificates = (text: string): boolean => {
  const blocks =
    text.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every((block) => orUndefined(() => new X509Certificate(block)));
};

const privateKeyProblem = (text: string): string | undefined => {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text))
    return 'the private key is encrypted.';
  return orUndefined(() => createPrivateKey(text)) ? undefined : 'the file holds no private key in PEM form.';
};

/** Why a certificate and a key do not work together. */
const pairProblem = (cert: string, key: string): { readonly wrong: string; readonly hint?: string } | undefined => {
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      return {
        wrong: 'it is not the private key of the certificate in CLIENT_CERT_FILE.',
        hint: 'of several certificates in CLIENT_CERT_FILE the first one is the client’s own',
      };
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return {
      wrong: `it cannot be used with the certificate in CLIENT_CERT_FILE (${codeOf(error) ?? messageOf(error)}).`,
    };
  }
};

/** Reads the certificate settings, whose files exist, and reports what is not PEM. */
export const readPem = (values: Readonly<Record<string, unknown>>, report: Report): Pem => {
  const textOf = (setting: string): string | undefined => {
    const path = values[setting];
    return typeof path === 'string' ? readFileSync(path, 'utf8') : undefined;
  };
  const certificateOf = (setting: string): string | undefined => {
    const text = textOf(setting);
    if (text === undefined || holdsCertificates(text)) return text;
    report(setting, {
      wrong: 'the file holds no certificate in PEM form.',
      hint: 'a DER file is turned into PEM with: openssl x509 -inform der -in FILE -out FILE.pem',
    });
    return undefined;
  };
  const ca = certificateOf('CA_FILE');
  const cert = certificateOf('CLIENT_CERT_FILE');
  const key = textOf('CLIENT_KEY_FILE');
  const wrongKey = key === undefined ? undefined : privateKeyProblem(key);
  if (wrongKey) report('CLIENT_KEY_FILE', { wrong: wrongKey });
  if (values.CLIENT_CERT_FILE !== undefined && key === undefined)
    report('CLIENT_CERT_FILE', { wrong: 'CLIENT_KEY_FILE is missing; the two go together.' });
  if (key !== undefined && values.CLIENT_CERT_FILE === undefined)
    report('CLIENT_KEY_FILE', { wrong: 'CLIENT_CERT_FILE is missing; the two go together.' });
  const apart = cert === undefined || key === undefined || wrongKey ? undefined : pairProblem(cert, key);
  if (apart) report('CLIENT_KEY_FILE', apart);
  return { ca, clientCert: cert === undefined || key === undefined ? undefined : { cert, key } };
};

type Chromium =
  | { readonly path: string; readonly missing?: never }
  /** How to get one, in one or two sentences. */
  | { readonly missing: string; readonly path?: never };

/** The headless shell first: without a window it is twice as fast. */
const names = wordsIn(`
  chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome
  microsoft-edge
`);

const usualPlaces: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/usr/lib/chromium/chromium', '/opt/google/chrome/chrome', '/snap/bin/chromium'],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

const runnable = (path: string): boolean =>
  orUndefined(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }) === true;

/** Finds the browser for the key page: `CHROMIUM_PATH`, else an installed Chromium or Chrome. */
export const findChromium = (env: Readonly<Record<string, string | undefined>>): Chromium => {
  const named = env.CHROMIUM_PATH;
  if (named)
    return runnable(named)
      ? { path: named }
      : { missing: `CHROMIUM_PATH is ${named}, and no program is there. Give the program file of Chromium or Chrome.` };
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name + suffix)));
  const path = [...onPath, ...(usualPlaces[process.platform] ?? [])].find(runnable);
  return path
    ? { path }
    : {
        missing:
          'No Chromium or Chrome was found. Install one (Debian: apt-get install chromium; anywhere: npx playwright install chromium, then set CHROMIUM_PATH to it).',
      };
};
