import type { Explanation } from '../../report/explain.js';

const walk =
  'A browser logs in (LOGIN_URL, WEB_USERNAME, WEB_PASSWORD) and opens KEY_PAGE_URL. Judged only when KEY_PAGE_URL is given.';

/** PAGE-1 to PAGE-3: the web page where a key is made. */
export const keyPage: Readonly<Record<string, Explanation>> = {
  'makes-a-key': {
    asks: 'The web interface’s “generate API key” action makes a key.',
    sends: [
      walk,
      'With KEY_PAGE_GENERATE=true the action is pressed, once: it may revoke the current key. Questions that follow are agreed to.',
      'A press after which no request leaves the browser and nothing on the page changes has made nothing: it is done once more, with empty fields beside it filled in.',
      'Each text on the page afterwards that could be a key is tried on a protected operation, by the same client as the rest of the run.',
    ],
    judged: [
      'Passed: a key is there that was not before, and it opens the operation.',
      'Failed: the action was refused or changed nothing, did nothing twice, or what the page then shows as a key is refused by the API. What sent anything is never tried again.',
      'Excluded: KEY_PAGE_GENERATE was not set. Inconclusive: page, log-in or action was not reached, or the page changed and nothing on it looks like a key, or the key that appeared opened the API before.',
    ],
    causes: [
      'The key is shown in another form than the one the API takes (a prefix, a masked key).',
      'The form’s request is refused: a CSRF token, a missing session.',
      'The action is named in a way that the suite does not find.',
    ],
    fixes: [
      'Show the whole key where it was made.',
      'Name action and key for the suite: KEY_PAGE_ACTION, KEY_PAGE_KEY_SELECTOR.',
    ],
  },
  'shows-the-current-key': {
    asks: 'The same place shows the current key.',
    sends: [walk, 'The page is read again after a reload and after a new log-in.'],
    judged: [
      'Passed: a key that opens the protected operation is on the page each time.',
      'Failed: there is a key, and the page does not show it, or shows one that the API refuses.',
    ],
    causes: [
      'The key is shown once, when it is made, and only its hash is kept: good practice elsewhere, but not this contract.',
      'A cached page shows an old key.',
    ],
    fixes: [
      'Show the current key on the page, and send it with Cache-Control: no-store.',
      'Where keys must not be stored in the clear, change the contract; until then list it as a known deviation.',
    ],
  },
  'says-when-there-is-none': {
    asks: 'Where the user has no key, the page says that none exists yet.',
    sends: [
      walk,
      'The page is read before any key is made, and again afterwards. What is folded away (tabs, details, accordions, dialogs) is unfolded; meanwhile nothing but reads is let out of the browser.',
      'With WEB_USERNAME_WITHOUT_KEY and WEB_PASSWORD_WITHOUT_KEY the page of a second account is read too, in a window of its own, and nothing that makes a key is pressed there.',
      'KEY_PAGE_EMPTY_TEXT names the message where the suite does not know it.',
    ],
    judged: [
      'Passed: no key is on the page, and a text is there that goes away once there is one, or that the account with a key is not shown.',
      'Failed: neither a key nor KEY_PAGE_EMPTY_TEXT is there, or the message still stands beside a key.',
      'Inconclusive: the account has a key already, which is never deleted, and no second account was named; or something went away of which nobody can tell whether it is the message.',
    ],
    causes: 'The page shows an empty field or nothing at all.',
    fixes:
      'Say it in words: “No API key exists yet.” Name an account without a key for this check: WEB_USERNAME_WITHOUT_KEY.',
  },
  'observes-key-life': {
    asks: 'What happens to a key: regeneration, transport, caching? The contract leaves it open, so this only tells what it saw.',
    sends: walk,
    judged:
      'Always observed: whether the old key, and the one in API_KEY, still open, how the action is sent, whether the page may be cached. It cannot fail.',
    causes: 'Nothing here is a failure.',
    fixes:
      'A new key should end the old one, the action should be a POST with a CSRF token, and the page should not be cached.',
  },
};
