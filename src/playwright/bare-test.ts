/**
 * Playwright's `test` without browser fixtures and trace recorder, which would cost each test more
 * than its check does. Probes go through the suite's own client, so Playwright never sees the key.
 */
export { _baseTest as test } from '@playwright/test';
