import type { Request, Route } from '@playwright/test';
import { isWrite, type Visit } from './visit.js';

/** A body of GraphQL that holds queries alone: it is sent with POST and changes nothing. */
const onlyQueries = (request: Request): boolean => {
  try {
    const asked = [request.postDataJSON() as unknown].flat();
    return (
      asked.length > 0 &&
      asked.every((one) => {
        const query = typeof one === 'object' && one !== null && 'query' in one ? one.query : undefined;
        return typeof query === 'string' && !/\b(mutation|subscription)\b/.test(query);
      })
    );
  } catch {
    return false;
  }
};

/** Whether two hosts are of one house, near enough: the last two labels of their names are the same. */
const sameHouse = (one: string, other: string): boolean =>
  one === other || (/[a-z]/i.test(one) && one.split('.').slice(-2).join('.') === other.split('.').slice(-2).join('.'));

/**
 * Does a part of the walk during which the page may ask, and may change nothing: of what it sends, writes are held back, and it does not
 * leave its document. `held` counts the writes without which it may not have shown everything.
 */
export const withoutWrites = async (visit: Visit, part: () => Promise<void>): Promise<{ readonly held: number }> => {
  const { page } = visit;
  let held = 0;
  const hold = async (route: Route): Promise<void> => {
    const request = route.request();
    const leaves = request.isNavigationRequest() && request.frame() === page.mainFrame();
    const writes = isWrite({ method: request.method() }) && !onlyQueries(request);
    const own = sameHouse(new URL(request.url()).hostname, new URL(page.url()).hostname);
    if (writes && own && ['document', 'xhr', 'fetch'].includes(request.resourceType())) held += 1;
    // A browser that gets 204 stays where it is.
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
