import type { Settings } from './settings.js';
import { parseResolveEntries } from './value-parsers.js';

/** Settings of the key page for `src/keypage/`; `undefined` when KEY_PAGE_URL is not set. */
export const readKeyPage = ({ values, webPassword, webPasswordWithoutKey, pem, proxy }: Settings) =>
  values.KEY_PAGE_URL === undefined
    ? undefined
    : {
        url: values.KEY_PAGE_URL,
        loginUrl: values.LOGIN_URL,
        username: values.WEB_USERNAME,
        password: webPassword,
        withoutKey: { username: values.WEB_USERNAME_WITHOUT_KEY, password: webPasswordWithoutKey },
        generate: values.KEY_PAGE_GENERATE,
        action: values.KEY_PAGE_ACTION,
        keySelector: values.KEY_PAGE_KEY_SELECTOR,
        emptyText: values.KEY_PAGE_EMPTY_TEXT,
        chromiumPath: values.CHROMIUM_PATH,
        ca: pem.ca,
        clientCert: pem.clientCert,
        insecureTls: values.INSECURE_TLS,
        proxy,
        resolve: parseResolveEntries(values.RESOLVE),
      };

/** The warning for a key that the key page's action revoked. */
export const revokedKeyWarning = (setting: string): string =>
  `The key in ${setting} no longer opens the API: pressing the key page's action ended its life. Put the key that the page shows now into ${setting} before the next run.`;
