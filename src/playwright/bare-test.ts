/**
 * Playwright's tests without its browser: no page, no context, no recorder of traces (which costs each test more than all that a check
 * does). Probes go through the suite's own client; nothing of Playwright ever holds the key.
 */
export { _baseTest as test } from '@playwright/test';
