import type { AnswerReader } from './answer-reader.js';
import { Attempter, type AttemptResult, connectionKindFor, isKeyless, type Task, type WireOptions } from './attempt.js';
import { Dialler } from './connect.js';
import { Connections } from './connections.js';
import { createCookieJar } from './cookies.js';
import type { Limits } from './http1.js';
import { http2Fields } from './http2.js';
import { inFlightTo, Pace } from './pace.js';
import { type ConnectionSlot, mostNewConnections } from './pool.js';
import { type CarriedCredentials, checkSafety, isSafeMethod, type SafetyRules } from './probe-safety.js';
import { proxyPassword } from './proxy.js';
import { RequestFiller } from './request-filler.js';
import { Waiting } from './request-queue.js';
import { LoadControl, type TriedAttempt } from './retry.js';
import { SilenceCheck } from './silence.js';
import { Patience, Turns } from './time-limits.js';
import {
  type Attempt,
  type Exchange,
  exchangeId,
  type Probe,
  type SeriesPosition,
  type Wait,
  type Wire,
} from './types.js';

const isUrl = (text: string | null | undefined): text is string => /^https?:/i.test(text ?? '');

/** Loads the body parsers, and builds the search for secrets, while first answers are awaited. */
const loadAnswerReader = ({ keys, salt, accounts = [] }: WireOptions, { bodyCap }: Limits): AnswerReader['read'] => {
  let loaded: AnswerReader | undefined;
  const loading = import('./answer-reader.js').then((module) => {
    loaded = new module.AnswerReader({ keys, salt, bodyCap, accounts });
    keys.prepare();
    return loaded;
  });
  return (...answer) => loaded?.read(...answer) ?? loading.then((reader) => reader.read(...answer));
};

const connectionsFor = (options: WireOptions, onFree: () => void): Connections => {
  const named = [options.origin, ...(isUrl(options.httpBaseUrl) ? [options.httpBaseUrl] : [])];
  return new Connections(new Dialler({ ...options, named }), {
    mostNew: options.concurrency === 'auto' ? mostNewConnections : Number.POSITIVE_INFINITY,
    onFree,
  });
};

/** What was not sent, since the run is over. */
const unsent = ({ probe }: Task, { message }: NonNullable<Wire['over']>): AttemptResult => ({
  tried: { attempt: { error: { code: 'aborted', message }, timing: { total: 0 } }, stale: false },
  connection: { reused: false, protocol: probe.protocol },
});

/** The client. See `Wire` for its guarantees. */
export class WireClient implements Wire {
  readonly #options: WireOptions;
  readonly #rules: SafetyRules;
  readonly #pace: Pace;
  readonly #connections: Connections;
  readonly #attempter: Attempter;
  readonly #filler: RequestFiller;
  readonly #load: LoadControl;
  readonly #silence: SilenceCheck;
  readonly #sleeping = new Waiting();
  readonly #end = (): void => this.#stop();
  #requestsSent = 0;
  #requestsLeft: number;
  #over: Wire['over'];
  #ended = false;

  constructor(options: WireOptions) {
    this.#options = options;
    const { origin, keys, timeoutMs, proxy, signal } = options;
    const limits: Limits = {
      timeoutMs,
      turns: new Turns(),
      patience: new Patience(timeoutMs),
      headerCap: options.headerCap ?? 65_536,
      bodyCap: options.bodyCap ?? 4_194_304,
    };
    for (const url of [proxy?.url, proxy?.httpUrl]) {
      const password = url ? proxyPassword(url) : '';
      if (password) keys.learn(password, '<PROXY_PASSWORD>');
    }
    const cookies = createCookieJar(keys);
    this.#rules = { ...options, unsafeMethods: options.unsafeMethods ?? false };
    this.#pace = new Pace({
      concurrency: options.concurrency,
      budgetMs: options.rateLimitWaitS * 1000,
      intervalMs: options.intervalMs ?? 0,
      inFlight: inFlightTo(origin),
    });
    this.#connections = connectionsFor(options, () => this.#pace.look());
    this.#filler = new RequestFiller(options, cookies);
    this.#load = new LoadControl(this.#pace, origin);
    this.#requestsLeft = options.maxRequests ?? Number.POSITIVE_INFINITY;
    this.#silence = new SilenceCheck({
      timeoutMs,
      ask: async (probe) => (this.over ? undefined : (await this.send(probe, { priority: true })).attempts.at(-1)),
      onSilent: (message, since) => {
        this.#over ??= { why: 'silence', message, since };
      },
    });
    this.#attempter = new Attempter({
      options,
      limits,
      connections: this.#connections,
      cookies,
      readAnswer: loadAnswerReader(options, limits),
      isEnded: () => this.#ended,
      onRequest: () => {
        this.#requestsSent += 1;
        options.onSent?.();
      },
    });
    if (signal?.aborted) this.#stop();
    signal?.addEventListener('abort', this.#end, { once: true });
  }

  get requestsSent(): number {
    return this.#requestsSent;
  }

  get over(): Wire['over'] {
    return this.#over;
  }

  get wait(): Wait | undefined {
    const { wait } = this.#pace;
    return this.#pace.isPaused ? wait : (this.#silence.wait ?? wait ?? this.#connections.wait);
  }

  /** Thousands of requests wait at once, so little is allocated before their turn. */
  async send(probe: Probe, place: SeriesPosition = {}): Promise<Exchange> {
    const carried = checkSafety(probe, this.#rules);
    return this.#sendInTurn(probe, carried, place, await this.#turnOf(probe, carried, place));
  }

  async askWhetherSilent(): Promise<void> {
    if (!this.#ended && this.#silence.wait) await this.#silence.ask();
  }

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#end);
    this.#stop();
  }

  #stop(): void {
    this.#ended = true;
    this.#pace.end();
    this.#connections.end();
    this.#sleeping.wakeAll();
  }

  /** Waits until the request may be sent and has a connection. */
  #turnOf(probe: Probe, carried: CarriedCredentials, place: SeriesPosition, before?: TriedAttempt) {
    return this.#pace.enter(
      this.#connections.laneOf(probe.origin, carried.holder, connectionKindFor(probe, carried), !before?.stale),
      place.priority === true || before !== undefined,
      place.follows,
    );
  }

  /** @param first the connection for the first attempt */
  async #sendInTurn(
    probe: Probe,
    carried: CarriedCredentials,
    place: SeriesPosition,
    first: ConnectionSlot | undefined,
  ): Promise<Exchange> {
    const tried: TriedAttempt[] = [];
    const who = `${probe.origin} ${carried.holder}`;
    let task: Task | undefined;
    for (let taken = first; ; taken = await this.#turnOf(probe, carried, place, tried.at(-1))) {
      const { epoch } = this.#pace;
      let result: AttemptResult;
      try {
        if (place.keys || !task) task = await this.#prepare(probe, carried, place, taken);
        result = await this.#attemptOrNot(task, taken);
      } catch (error) {
        this.#pace.leave();
        throw error;
      }
      tried.push(result.tried);
      const { attempt } = result.tried;
      const isOpen = result.connection.address !== undefined;
      this.#load.note(probe, attempt, isOpen, epoch);
      this.#noteHeard(task, attempt, isOpen);
      const pause = this.#ended || this.over ? undefined : this.#load.pauseAfter(probe, tried, who);
      this.#pace.leave();
      this.#load.noteTried(tried, who, pause === undefined);
      if (pause === undefined) return this.#exchangeOf(task, tried, result.connection);
      if (pause > 0 && !this.#ended) await this.#sleeping.wait(pause);
    }
  }

  /** Fills in keys, which may end while a request waits for its turn. */
  async #prepare(
    probe: Probe,
    carried: CarriedCredentials,
    place: SeriesPosition,
    taken: ConnectionSlot | undefined,
  ): Promise<Task> {
    try {
      if (place.keys) await place.keys.ready();
      const task = this.#filler.fill(probe, carried, place);
      place.keys?.filled();
      return task;
    } catch (error) {
      if (taken) this.#connections.giveBack(taken);
      throw error;
    }
  }

  async #attemptOrNot(task: Task, taken: ConnectionSlot | undefined): Promise<AttemptResult> {
    if (this.#requestsLeft <= 0)
      this.#over ??= { why: 'max-requests', message: 'as many requests were sent as MAX_REQUESTS allows' };
    if (!this.#over) {
      this.#requestsLeft -= 1;
      return this.#attempter.attempt(task, taken);
    }
    if (taken) this.#connections.giveBack(taken);
    return unsent(task, this.#over);
  }

  #noteHeard({ probe, carried }: Task, attempt: Attempt, isOpen: boolean): void {
    if (probe.origin === this.#options.origin)
      this.#silence.note(probe, attempt, isOpen, isKeyless(carried) && isSafeMethod(probe.method));
  }

  #exchangeOf({ probe, fields }: Task, tried: readonly TriedAttempt[], connection: Exchange['connection']): Exchange {
    const target = /^[a-z][a-z0-9+.-]*:\/\//i.test(probe.target) ? probe.target : probe.origin + probe.target;
    return {
      id: exchangeId(probe),
      probe,
      connection,
      request: {
        method: probe.method,
        url: this.#options.keys.redact(target),
        headers: probe.protocol === 'h2' ? http2Fields(fields) : fields,
      },
      attempts: tried.map((one) => one.attempt),
    };
  }
}
