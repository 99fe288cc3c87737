import { createHash } from 'node:crypto';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { certificateOf } from '../../../src/reference/certificates.js';
import { KeyRing } from '../../../src/wire/keyring.js';

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** What is compressed in a body, if that is all of it. */
const inflated = (body: Buffer): string[] =>
  [gunzipSync, inflateSync, inflateRawSync].flatMap((unpack) => {
    try {
      return [unpack(body).toString()];
    } catch {
      return [];
    }
  });

/** The texts of masked frames (RFC 6455, section 5.2), put together. */
const unmasked = (frames: Buffer): string => {
  let text = '';
  for (let start = 0; start + 2 < frames.length; ) {
    const short = (frames[start + 1] ?? 0) & 0x7f;
    const at = start + (short === 126 ? 4 : 2);
    const length = short === 126 ? frames.readUInt16BE(start + 2) : short;
    const mask = frames.subarray(at, at + 4);
    const masked = frames.subarray(at + 4, at + 4 + length);
    text += Buffer.from(masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString();
    start = at + 4 + length;
  }
  return text;
};

/** Opens a WebSocket (RFC 6455, section 4.2.2). */
export const acceptWebSocket = (request: IncomingMessage, socket: Duplex): void => {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.destroy());
  socket.resume();
};

/** Repeats what it is told by `postMessage` to the server that it comes from. */
const accomplice = `<!doctype html><script>addEventListener('message', ({ data }) => fetch('/?c=post-message', { method: 'POST', body: data }))</script>`;

/**
 * Two servers of somebody else, one with TLS and one without, that keep whatever they are sent.
 * `page` is what they answer.
 */
export const startRecorders = async (page = 'taken') => {
  const { cert, key } = await certificateOf('valid');
  const received: string[] = [];
  const take: RequestListener = async (request, response) => {
    const body = await bodyOf(request);
    const bytes = body.toString('latin1').replaceAll('\0', '');
    const unescaped = bytes.replace(/\\0000(..)/g, (_escape, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    const said = [body.toString(), body.toString('utf16le'), bytes, unescaped, ...inflated(body)];
    received.push([request.method, request.url, ...request.rawHeaders, ...said].join('\n'));
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'authorization, x-secret',
      })
      .end(request.url === '/accomplice' ? accomplice : page);
  };
  const upgrade = (request: IncomingMessage, socket: Duplex): void => {
    received.push([request.url, ...request.rawHeaders].join('\n'));
    acceptWebSocket(request, socket);
    let frames = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      frames = Buffer.concat([frames, chunk]);
      received.push(`${request.url}\n${unmasked(frames)}`);
    });
  };
  const servers = [https.createServer({ cert, key }, take), http.createServer(take)];
  for (const server of servers) {
    server.on('upgrade', upgrade);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const [foreign = 0, plain = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    foreign: `https://127.0.0.1:${foreign}`,
    plain: `http://127.0.0.1:${plain}`,
    received,
    /**
     * By which channels, named in the URL as `?c=name`, one of the secrets came; in any spelling
     * that reports are kept free of.
     */
    channelsOf: (...secrets: readonly string[]): string[] => {
      const ring = new KeyRing({ keys: {}, secrets });
      const carrying = received.filter((text) => ring.redact(text) !== text);
      return [...new Set(carrying.map((text) => /[?&]c=([\w-]+)/.exec(text)?.[1] ?? text))].sort();
    },
    close: async (): Promise<void> => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    },
  };
};

export type Recorders = Awaited<ReturnType<typeof startRecorders>>;
