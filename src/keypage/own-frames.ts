import type { Frame, Page } from '@playwright/test';

/** The frames of a page's own origin, itself first. `about:srcdoc` and `about:blank` are their parent's. */
export const ownFrames = (page: Page): Frame[] => {
  const { origin } = new URL(page.url());
  const isOwn = (frame: Frame): boolean => {
    const parent = frame.parentFrame();
    return (
      parent === null || (/^(about:|$)/.test(frame.url()) ? isOwn(parent) : new URL(frame.url()).origin === origin)
    );
  };
  return page.frames().filter(isOwn);
};
