import { isWrite } from '../gateway/holding.js';
import type { PageRequest } from '../window/page-traffic.js';
import type { Visit } from '../window/visit.js';

/** What a page has asked its own origins for since the action was pressed. */
export const sentSince = (visit: Visit) => {
  const { document } = visit;
  const [from, allFrom] = [visit.traffic.requests.length, visit.traffic.sent.length];
  const isNewPage = (): boolean => visit.document !== document;
  const writes = (): PageRequest[] => visit.traffic.requests.slice(from).filter(isWrite);
  /** A write that is refused while the page stays has made nothing. */
  const isRefused = ({ status = 0 }: PageRequest): boolean => !isNewPage() && status >= 400 && status < 500;
  const isRefusedForItsContent = (one: PageRequest): boolean =>
    isRefused(one) && (one.status === 400 || one.status === 422);
  return {
    /** Whether a request or a message left the browser, to any origin. */
    hasLeft: (): boolean => visit.traffic.sent.length > allFrom,
    newPage: (): number | undefined => (isNewPage() ? visit.document?.status() : undefined),
    /** Path of the last write that was not refused. */
    written: (): string | undefined => writes().findLast((one) => !isRefused(one))?.path,
    /** The status by which each write was refused for its content: a form may lack a field. */
    refusedContent: (): number | undefined =>
      writes().every(isRefusedForItsContent) ? writes()[0]?.status : undefined,
    /** The request that probably made the key. */
    decisive: (): PageRequest | undefined =>
      writes().find((one) => !isRefused(one)) ?? writes()[0] ?? visit.traffic.requests[from],
  };
};

export type SentSince = ReturnType<typeof sentSince>;
