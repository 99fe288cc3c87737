import type { ClientRequest, ServerResponse } from 'node:http';

/** Removes fields from a list of alternating names and values. */
export const without = (headers: readonly string[], isOut: (name: string, value: string) => boolean): string[] =>
  headers.flatMap((name, index) => {
    const value = headers[index + 1] ?? '';
    return index % 2 === 1 || isOut(name.toLowerCase(), value) ? [] : [name, value];
  });

/** Forwards a request and its answer. Without an answer, the browser's connection is closed. */
export const relay = (onward: ClientRequest, response: ServerResponse): void => {
  const hangUp = (): void => void response.socket?.destroy();
  onward.on('error', hangUp);
  response.on('error', hangUp);
  onward.once('response', (answer) => {
    answer.on('error', hangUp);
    try {
      response.sendDate = false;
      // Fields that Node refuses to write, and browsers ignore.
      const headers = without(
        answer.rawHeaders,
        (name, value) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t -~\x80-\xff]/.test(value),
      );
      response.writeHead(answer.statusCode ?? 502, headers);
    } catch {
      hangUp();
    }
    answer.pipe(response);
  });
};
