import { relative } from 'node:path';
import type { Contract } from '../contract/model.js';
import { visible } from '../report/text.js';
import type { Settings } from '../target/settings.js';
import type { Target } from '../target/target.js';
import type { Terminal } from './terminal.js';

/** Settings that say which deployment is judged, and by what: against the embedded service nobody's own ones count. */
export const ofOneDeployment = [
  'BASE_URL',
  'HTTP_BASE_URL',
  'API_KEY',
  'API_KEY_FILE',
  'CA_FILE',
  'INSECURE_TLS',
  'EXERCISE_PATH',
  'INGREDIENT_PATH',
  'CLIENT_CERT_FILE',
  'CLIENT_KEY_FILE',
  'RESOLVE',
  'HTTPS_PROXY',
  'https_proxy',
  'TARGET_NAME',
  'CONTRACT',
  'OVERLAY',
  'PARAMETERS',
  'DEVIATIONS',
  'KEY_PAGE_URL',
  'LOGIN_URL',
  'WEB_USERNAME',
  'WEB_PASSWORD',
  'KEY_PAGE_GENERATE',
  'KEY_PAGE_ACTION',
  'KEY_PAGE_KEY_SELECTOR',
  'KEY_PAGE_EMPTY_TEXT',
] as const;

/** Reads the contract that the settings name, and says what its reader ought to know. */
export const contractOf = async (settings: Settings, paths: Target['paths'], terminal: Terminal): Promise<Contract> => {
  const { loadContract } = await import('../contract/load.js');
  const { values, keys } = settings;
  const contract = await loadContract(values.CONTRACT, {
    overlay: values.OVERLAY?.join(','),
    paths,
    parameters: values.PARAMETERS,
    unsafeMethods: values.UNSAFE_METHODS,
    keys: Object.keys(keys),
  });
  for (const { file, line, column, message, hint } of contract.warnings)
    terminal.err(
      `${terminal.colours.yellow('warning')} ${visible(`${file}:${line}:${column} ${message}`)}${hint ? `\n  ${visible(hint)}` : ''}\n`,
    );
  return contract;
};

/** A path as it is shortest from where the user is. */
export const shortPath = (path: string, cwd: string): string => {
  const near = relative(cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
};
