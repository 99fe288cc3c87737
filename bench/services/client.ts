/** Reads and writes JSON, to seed a service before it is judged. */
export interface Client {
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
}

export interface Seeding {
  readonly origin: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws Error with the status and the beginning of the answer, where it is no success */
export const clientOf = ({ origin, headers = {} }: Seeding): Client => {
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await fetch(origin + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${init.method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    get: (path) => ask(path, { method: 'GET', headers }),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
};

/** A member of a JSON object, as text. @throws TypeError where there is none */
export const textIn = (value: unknown, member: string): string => {
  const found =
    typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === member) : [];
  const text = found?.[1];
  if (typeof text !== 'string' && typeof text !== 'number') throw new TypeError(`the answer has no ${member}`);
  return String(text);
};

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The text at a URL, asked for until it is there: a service takes its time to start. */
export const whenServed = async (url: string, seconds = 300): Promise<string> => {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return response.text();
    if (Date.now() > until) throw new Error(`${url} was not served within ${seconds} s`);
    await pause(1000);
  }
};
