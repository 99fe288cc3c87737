/** What an error of the browser's driver means, as the end of a sentence. */
const meanings: readonly (readonly [pattern: RegExp, means: string])[] = [
  [/intercepts pointer events/, 'something on the page lies over it'],
  [/not enabled/, 'it is disabled'],
  [/not stable/, 'it does not stop moving'],
  [/outside of the viewport/, 'it is outside of what a window shows'],
  [/not visible/, 'it is not visible'],
  [/not attached to the DOM/, 'the page replaced it in the meantime'],
  [/Execution context was destroyed|frame was detached|navigating/i, 'the page keeps navigating'],
  [/crashed/i, 'the page made its tab crash'],
  [/has been closed|Browser closed|disconnected/i, 'the page closed its window, or the browser ended'],
];

const timeout = /Timeout ([\d.]+)ms exceeded/;

export const isTimeout = (text: string): boolean => timeout.test(text);

/** An error of the browser's driver, for somebody who does not know the driver. */
export const saidOfBrowser = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  const meant = meanings.find(([pattern]) => pattern.test(text));
  if (meant) return meant[1];
  const [, waited] = timeout.exec(text) ?? [];
  if (waited !== undefined) return `the page did not react within ${Math.round(Number(waited) / 1000)} s`;
  const [first = ''] = text.split('\n');
  return `the browser says “${first.replace(/^(?:\w*Error: )?(?:\w+\.)+\w+: /, '').replace(/[\s.]+$/, '')}”`;
};
