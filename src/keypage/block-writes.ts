import type { Request, Route } from '@playwright/test';
import { orUndefined } from '../collections.js';
import { isSameSite } from './browser.js';
import { isWrite } from './page-traffic.js';
import type { Visit } from './visit.js';

/** A GraphQL body with only queries: sent with POST, but a read. */
const onlyQueries = (request: Request): boolean => {
  const asked = orUndefined(() => [request.postDataJSON() as unknown].flat()) ?? [];
  return (
    asked.length > 0 &&
    asked.every((one) => {
      const query = typeof one === 'object' && one !== null && 'query' in one ? one.query : undefined;
      return typeof query === 'string' && !/\b(mutation|subscription)\b/.test(query);
    })
  );
};

/**
 * Runs a part of the visit with writes and navigations of the page blocked.
 * @returns `held`: the number of blocked writes that the page may need to show everything
 */
export const withoutWrites = async (visit: Visit, part: () => Promise<void>): Promise<{ readonly held: number }> => {
  const { page } = visit;
  let held = 0;
  const hold = async (route: Route): Promise<void> => {
    const request = route.request();
    const leaves = request.isNavigationRequest() && request.frame() === page.mainFrame();
    const writes = isWrite({ method: request.method() }) && !onlyQueries(request);
    const own = isSameSite(new URL(request.url()).hostname, new URL(page.url()).hostname);
    if (writes && own && ['document', 'xhr', 'fetch'].includes(request.resourceType())) held += 1;
    // A browser stays on the page when it gets 204.
    if (leaves) return route.fulfill({ status: 204 });
    return writes ? route.abort('blockedbyclient') : route.fallback();
  };
  await page.route('**/*', hold);
  try {
    await part();
  } finally {
    await page.unroute('**/*', hold).catch(() => {});
  }
  return { held };
};
