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
 * Runs a part of the visit with writes and navigations of the page blocked, and with other windows
 * cut off, which it may open to write from there.
 * @param mayLeave the page may navigate
 * @returns `held`: the number of blocked writes that the page may need to show everything
 */
export const withoutWrites = async (
  visit: Visit,
  part: () => Promise<void>,
  { mayLeave = false } = {},
): Promise<{ readonly held: number }> => {
  const { context, page } = visit;
  let held = 0;
  const hold = async (route: Route): Promise<void> => {
    const request = route.request();
    // A window that is about to open has no frame yet.
    const frame = orUndefined(() => request.frame());
    const leaves = request.isNavigationRequest() && frame === page.mainFrame() && !mayLeave;
    const writes = isWrite({ method: request.method() }) && !onlyQueries(request);
    const own = isSameSite(new URL(request.url()).hostname, new URL(page.url()).hostname);
    if (writes && own && ['document', 'xhr', 'fetch'].includes(request.resourceType())) held += 1;
    // A browser stays on the page when it gets 204.
    if (leaves) return route.fulfill({ status: 204 });
    return writes || frame?.page() !== page ? route.abort('blockedbyclient') : route.fallback();
  };
  await context.route('**/*', hold);
  visit.explores = true;
  try {
    await part();
  } finally {
    visit.explores = false;
    await context.unroute('**/*', hold).catch(() => {});
  }
  return { held };
};
