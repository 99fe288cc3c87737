import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../behaviour.js';
import type { PageFaultName } from './definitions.js';

export interface PageUser {
  readonly name: string;
  readonly password: string;
}

export interface WebSession {
  readonly id: string;
  readonly csrf: string;
  user?: string;
  /** Key created by the previous request, for pages that show a key once. */
  fresh?: string;
  /** Message for the next page. */
  flash?: string;
  /** Keys created in this session. */
  readonly made: Set<string>;
}

const newKey = (): string => randomBytes(20).toString('hex');
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const mostSessions = 1000;

/** Users, sessions and keys. */
export class Accounts {
  readonly #users: ReadonlyMap<string, string>;
  readonly #keys: Keys;
  readonly #fault: PageFaultName | undefined;
  readonly #keepsOldKeys: boolean;
  readonly #sessions = new Map<string, WebSession>();
  readonly #decoys = new Map<string, string>();
  /** Shown key → stored key, for the fault `works-without-token`. */
  readonly #bare = new Map<string, string>();

  constructor(options: {
    users: readonly PageUser[];
    keys: Keys;
    fault: PageFaultName | undefined;
    /** Old keys stay valid when a new one is created. */
    keepsOldKeys: boolean;
  }) {
    this.#users = new Map(options.users.map(({ name, password }) => [name, password]));
    this.#keys = options.keys;
    this.#fault = options.fault;
    this.#keepsOldKeys = options.keepsOldKeys;
  }

  session(id: string | undefined): WebSession | undefined {
    return id === undefined ? undefined : this.#sessions.get(id);
  }

  open(user?: string): WebSession {
    const oldest = this.#sessions.keys().next();
    if (this.#sessions.size >= mostSessions && !oldest.done) this.#sessions.delete(oldest.value);
    const session: WebSession = {
      id: randomBytes(16).toString('base64url'),
      csrf: randomBytes(16).toString('base64url'),
      made: new Set(),
      ...(user === undefined ? {} : { user }),
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  close(session: WebSession): void {
    this.#sessions.delete(session.id);
  }

  knows(name: string, password: string): boolean {
    const expected = this.#users.get(name);
    return timingSafeEqual(digest(expected ?? ''), digest(password)) && expected !== undefined;
  }

  /** Keys of a user, newest first. */
  keysOf(user: string): string[] {
    const stored = [...this.#keys].flatMap(([key, owner]) => (owner === user ? [key] : [])).reverse();
    const bare = [...this.#bare].map(([shown, key]) => ({ shown, key }));
    return stored.map((key) => bare.find((each) => each.key === key)?.shown ?? key);
  }

  /** Creates a key for the user. */
  make(session: WebSession, user: string): void {
    if (this.#fault === 'makes-nothing') return;
    const key = newKey();
    if (!this.#keepsOldKeys) this.remove(user);
    const known = this.#fault === 'works-without-token' ? newKey() : key;
    if (known !== key) this.#bare.set(key, known);
    this.#keys.set(known, user);
    session.fresh = key;
    session.made.add(key);
  }

  remove(user: string): void {
    for (const key of this.keysOf(user)) {
      this.#keys.delete(this.#bare.get(key) ?? key);
      this.#bare.delete(key);
    }
  }

  /** The stored key of a shown key that was sent without `Token`. */
  behind(authorization: string | undefined): string | undefined {
    return authorization === undefined ? undefined : this.#bare.get(authorization);
  }

  /** The keys that the page shows, newest first: those of the user, unless a fault changes that. */
  shown(session: WebSession, user: string): string[] {
    const keys = this.keysOf(user);
    const fresh = session.fresh;
    delete session.fresh;
    if (keys.length === 0) return [];
    switch (this.#fault) {
      case 'shows-another-key':
        return [this.#decoy(user)];
      case 'shown-once':
        return keys.filter((key) => key === fresh);
      case 'another-key-after-reload':
        return keys.map((key) => (key === fresh ? key : this.#decoy(user)));
      case 'new-key-with-each-view':
        if (fresh === undefined) this.make(session, user);
        delete session.fresh;
        return this.keysOf(user);
      case 'key-lost-with-session':
        return keys.filter((key) => session.made.has(key));
      default:
        return keys;
    }
  }

  #decoy(user: string): string {
    const decoy = this.#decoys.get(user) ?? newKey();
    this.#decoys.set(user, decoy);
    return decoy;
  }
}
