import type { IncomingMessage } from 'node:http';

/** Names and addresses of hosts, with a port if one follows. */
const hostNames = /((?:[a-z\d_-]{1,63}\.)+[a-z\d-]{1,63}|localhost|\[[\da-f:.]{2,45}\])(:\d{1,5})?/gi;

/** Characters kept of the last piece of a body, since a name may be split. */
const maxName = 260;

/**
 * Hosts whose names stood in what servers sent. A script can put a secret into a name that it makes
 * up, in any spelling, and the look-up of the name gives it away.
 */
export const namedHosts = () => {
  const names = new Set<string>();
  const note = (text: string): void => {
    for (const [name] of text.matchAll(hostNames)) names.add(name.toLowerCase());
  };
  return {
    /** Notes the hosts that an answer names, in its fields and in a body of text. */
    read: (answer: IncomingMessage): void => {
      note(answer.rawHeaders.join('\n'));
      if (!/text|json|script|xml/i.test(answer.headers['content-type'] ?? '')) return;
      let rest = '';
      answer.on('data', (chunk: Buffer) => {
        const text = rest + chunk.toString('latin1');
        note(text);
        rest = text.slice(-maxName);
      });
    },
    /** Whether the host of an origin was named, or asked when no secret was known. */
    has: (origin: string): boolean => names.has(new URL(origin).host),
    /** Notes an origin that was asked when no secret was known. */
    add: (origin: string): void => void names.add(new URL(origin).host),
  };
};
