import { isWrite, type PageTraffic } from './page-traffic.js';
import type { Visit } from './visit.js';

type Asked = PageTraffic['requests'][number];

/** What a page has asked its own origins for since the action was pressed. */
export class SentSince {
  readonly #visit: Visit;
  readonly #document: Visit['document'];
  readonly #from: number;
  readonly #allFrom: number;

  constructor(visit: Visit) {
    this.#visit = visit;
    this.#document = visit.document;
    this.#from = visit.requests.length;
    this.#allFrom = visit.traffic.sent.length;
  }

  /** A request or a message left the browser, to any origin. */
  get hasLeft(): boolean {
    return this.#visit.traffic.sent.length > this.#allFrom;
  }

  /** Status of the page, if it is a new one. */
  get newPage(): number | undefined {
    return this.#visit.document === this.#document ? undefined : this.#visit.document?.status();
  }

  get #writes(): Asked[] {
    return this.#visit.requests.slice(this.#from).filter(isWrite);
  }

  /** A write that is refused while the page stays has made nothing. */
  #isRefused({ status = 0 }: Asked): boolean {
    return this.#visit.document === this.#document && status >= 400 && status < 500;
  }

  /** Path of the last write that was not refused. */
  get written(): string | undefined {
    return this.#writes.findLast((one) => !this.#isRefused(one))?.path;
  }

  /** The status by which each write was refused for its content: a form may lack a field. */
  get refusedContent(): number | undefined {
    const isRefused = (one: Asked): boolean => this.#isRefused(one) && (one.status === 400 || one.status === 422);
    return this.#writes.every(isRefused) ? this.#writes[0]?.status : undefined;
  }

  /** The request that probably made the key. */
  get decisive(): Asked | undefined {
    const writes = this.#writes;
    return writes.find((one) => !this.#isRefused(one)) ?? writes[0] ?? this.#visit.requests[this.#from];
  }
}
