import { isDragged, tryGestures } from '../../../src/keypage/controls/gestures.js';
import { limitsOf } from '../../../src/keypage/input.js';
import type { Visit } from '../../../src/keypage/window/visit.js';
import { expect, test } from '../support/test.js';

const button = (script: string): string => `<button id="make">Generate API key</button><script>${script}</script>`;
const text = (script: string): string =>
  `<div id="make" role="button" tabindex="0">Generate API key</div><script>${script}</script>`;

/** Controls that heed one gesture alone. */
const heeding: Record<string, string> = {
  'a double click': button('make.ondblclick = done'),
  'the other mouse button': button('make.oncontextmenu = done'),
  'a slide to the side': button(
    'let from = 0; make.onpointerdown = ({ x }) => { from = x }; onpointerup = ({ x }) => { if (x - from > 200) done() }',
  ),
  'a touch': button('make.addEventListener("touchend", done)'),
  'the wheel': button('make.onwheel = done'),
  'the Enter key': text('make.onkeydown = ({ key }) => { if (key === "Enter") done() }'),
  'the space bar': text('make.onkeyup = ({ key }) => { if (key === " ") done() }'),
};

test('a control that heeds another gesture than a press gets it once', async ({ chromium }) => {
  const page = await chromium.newPage();
  try {
    const visit = { page, limits: limitsOf(6_000), settle: async () => {} } as unknown as Visit;
    for (const [gesture, body] of Object.entries(heeding)) {
      await page.setContent(`<script>let times = 0; const done = () => { times += 1 }</script>${body}`);
      const times = (): Promise<number> => page.evaluate('times');
      const control = await page.locator('#make').elementHandle();
      if (control === null) throw new Error('There is no control.');
      await tryGestures(visit, control as Parameters<typeof tryGestures>[1], async () => (await times()) > 0);
      expect(await times(), gesture).toBe(1);
      expect(await isDragged(control as Parameters<typeof isDragged>[0])).toBe(false);
    }
  } finally {
    await page.close();
  }
});
