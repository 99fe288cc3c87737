import { get } from 'node:http';
import type { Response } from '@playwright/test';
import type { Visit } from './visit.js';

/** What a page has beside its texts, as sentences for the report. */

/** How the page's address answers over plain HTTP, without credentials, on the default port. */
export const plainHttpFact = (url: string): Promise<string | undefined> => {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol !== 'https:') return Promise.resolve('KEY_PAGE_URL is plain HTTP: keys are shown without TLS.');
  if (port !== '') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const request = get({ hostname, port: 80, path: pathname, timeout: 5_000 }, (response) => {
      response.destroy();
      const { statusCode = 0, headers } = response;
      const target = headers.location ?? '';
      resolve(
        statusCode >= 300 && statusCode < 400 && /^https:/i.test(target)
          ? 'Over plain HTTP the page redirects to HTTPS.'
          : `Over plain HTTP the page answers ${statusCode}.`,
      );
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.once('error', () => resolve('Over plain HTTP the page does not answer.'));
  });
};

/** Whether the document with the key may be cached and framed. */
export const documentFacts = async (document: Response | undefined): Promise<string[]> => {
  if (!document) return [];
  const headers = await document.allHeaders();
  const cache = headers['cache-control'];
  const policy = headers['content-security-policy'] ?? '';
  const framing =
    /frame-ancestors[^;]*/i.exec(policy)?.[0] ??
    (headers['x-frame-options'] ? `X-Frame-Options: ${headers['x-frame-options']}` : '');
  return [
    cache !== undefined && /no-store/i.test(cache)
      ? `The page may not be cached (Cache-Control: ${cache}).`
      : `The page may be cached (${cache === undefined ? 'no Cache-Control' : `Cache-Control: ${cache}`}).`,
    framing ? `The page restricts who may frame it (${framing}).` : 'The page may be framed by any site.',
  ];
};

/** What protects the session, without names or values. */
export const cookieFact = async ({ context, page }: Visit): Promise<string | undefined> => {
  const cookies = await context.cookies(page.url());
  if (cookies.length === 0) return undefined;
  const lacking = [
    ...(cookies.every(({ secure }) => secure) ? [] : ['Secure']),
    ...(cookies.some(({ httpOnly }) => httpOnly) ? [] : ['HttpOnly']),
  ];
  // A cookie without SameSite has the browser's default here, which is not None.
  const crossSite = cookies.some(({ sameSite }) => sameSite === 'None') ? ' One has SameSite=None.' : '';
  return lacking.length === 0
    ? `Session cookies are Secure and HttpOnly.${crossSite}`
    : `Not every session cookie has ${lacking.join(', ')}.${crossSite}`;
};
