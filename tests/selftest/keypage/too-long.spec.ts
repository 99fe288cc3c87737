import { judgeAt } from '../support/key-page.js';
import { startOddPage } from '../support/odd-page.js';
import { expect, inCi, test } from '../support/test.js';

test(
  'a page that holds more text than is read of any is told as that, and costs no memory',
  inCi,
  async ({ chromium }) => {
    const odd = await startOddPage({
      page: () => `<h1>API key</h1><p>You have no key yet.</p>
<script>for (let n = 0; n < 51000; n += 1) document.body.append(Object.assign(document.createElement('p'), { textContent: 'row ' + n }))</script>`,
    });
    try {
      const judged = await judgeAt(odd, chromium, { username: undefined, password: undefined }, { patienceMs: 30_000 });
      expect(judged.outcomes['makes-a-key'], judged.everything).toBe('inconclusive');
      expect(judged.everything).toContain('more text than a person reads');
    } finally {
      await odd.close();
    }
  },
);
