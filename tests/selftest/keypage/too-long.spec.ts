import { judgeAt, noAccount } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { expect, inCi, inFull, test } from '../support/test.js';

/**
 * More than four million characters, and more than fifty thousand pieces of text. They are hidden,
 * since to draw them is what costs most.
 */
const pages = [
  { what: 'long texts', count: 210, text: "('row ' + n + ' ').repeat(4_000)", when: inCi },
  // Takes the browser many times longer.
  { what: 'many texts', count: 120_000, text: "'row ' + n", when: inFull },
] as const;

for (const { what, count, text, when } of pages)
  test(
    `a page that holds more text than is read of any is told as that, and costs no memory: ${what}`,
    when,
    async ({ chromium }) => {
      const odd = await startOddPage({
        page: () => `<h1>API key</h1><p>You have no key yet.</p><div id="place" hidden></div>
<script>for (let n = 0; n < ${count}; n += 1) place.append(Object.assign(document.createElement('p'), { textContent: ${text} }))</script>`,
      });
      try {
        const judged = await judgeAt(odd, chromium, noAccount, { patienceMs: 30_000 });
        expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
        expect(judged.everything).toContain('more text than a person reads');
      } finally {
        await odd.close();
      }
    },
  );
