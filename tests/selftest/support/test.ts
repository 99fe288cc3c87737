/**
 * Playwright's tests without its browser: what `test` adds to these, a recorder of traces for each test first, costs four fifths of an
 * empty test's time and is of no use here.
 */
export { _baseTest as test, expect } from '@playwright/test';
