import { resolveEntries } from './forms.js';
import type { Settings } from './settings.js';

/** Where the key page is and how to use it, as `src/keypage/` takes it; `undefined` when KEY_PAGE_URL is not set. */
export const readKeyPage = ({ values, webPassword, pem, proxy }: Settings) =>
  values.KEY_PAGE_URL === undefined
    ? undefined
    : {
        url: values.KEY_PAGE_URL,
        loginUrl: values.LOGIN_URL,
        username: values.WEB_USERNAME,
        password: webPassword,
        generate: values.KEY_PAGE_GENERATE,
        action: values.KEY_PAGE_ACTION,
        keySelector: values.KEY_PAGE_KEY_SELECTOR,
        emptyText: values.KEY_PAGE_EMPTY_TEXT,
        chromiumPath: values.CHROMIUM_PATH,
        ca: pem.ca,
        clientCert: pem.clientCert,
        insecureTls: values.INSECURE_TLS,
        proxy,
        resolve: resolveEntries(values.RESOLVE),
      };
