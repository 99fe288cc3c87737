import { EventEmitter } from 'node:events';
import type { Page } from '@playwright/test';
import { limitsOf } from '../../../src/keypage/input.js';
import { PageTraffic } from '../../../src/keypage/window/page-traffic.js';
import { expect, test } from '../support/test.js';

test('a fetch whose body is never read is waited for only until shortly after its answer', () => {
  const page = Object.assign(new EventEmitter(), { context: () => new EventEmitter(), mainFrame: () => undefined });
  const limits = limitsOf(6_000);
  const traffic = new PageTraffic(page as unknown as Page, limits, ['https://page.test']);
  const request = {
    method: () => 'POST',
    url: () => 'https://page.test/key',
    resourceType: () => 'fetch',
    isNavigationRequest: () => false,
  };
  page.emit('request', request);
  const later = Date.now() + limits.momentMs + 100;
  expect(traffic.isBusy(later)).toBe(true);
  page.emit('response', { request: () => request, status: () => 201 });
  expect(traffic.isBusy(Date.now())).toBe(true);
  expect(traffic.isBusy(later)).toBe(false);
});
