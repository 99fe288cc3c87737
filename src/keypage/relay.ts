import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';

/** Removes fields from a list of alternating names and values. */
export const without = (headers: readonly string[], isOut: (name: string, value: string) => boolean): string[] =>
  headers.flatMap((name, index) => {
    const value = headers[index + 1] ?? '';
    return index % 2 === 1 || isOut(name.toLowerCase(), value) ? [] : [name, value];
  });

/** Bytes. Requests to other origins are searched completely; longer ones are not sent. */
const maxBodyBytes = 8 * 1024 * 1024;

export const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Forwards a request and its answer. Without an answer, the browser's connection is closed.
 * @param read is given the answer before it is passed on
 */
export const relay = (
  onward: ClientRequest,
  response: ServerResponse,
  read: (answer: IncomingMessage) => void,
): void => {
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
    read(answer);
    answer.pipe(response);
  });
};
