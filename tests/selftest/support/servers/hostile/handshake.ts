import { createSecureServer } from 'node:http2';
import { type LeafOptions, makeCertificate } from '../../../../../src/reference/certificates.js';
import { onRequest, overTcp, overTls, type TestServerDefinition } from '../test-server.js';
import { jsonType, withBody } from './raw-responses.js';

/** Failures before the first request. */

const withCertificate =
  (leaf: LeafOptions): TestServerDefinition['server'] =>
  async () =>
    overTls(onRequest((socket) => socket.end(withBody([jsonType], '{}'))))(await makeCertificate(leaf));

export const handshakeAttacks: readonly TestServerDefinition[] = [
  {
    name: 'odd-certificate',
    title: 'Its certificate has a name with HTML, quotes and terminal commands in it.',
    server: withCertificate({
      commonName: '<img src=x onerror=alert(1)> \u001b[31m ::error::',
      hosts: ['127.0.0.1', 'xn--<b>.example', '*.*'],
    }),
  },
  {
    name: 'many-names-certificate',
    title: 'Its certificate is for two thousand hosts.',
    server: withCertificate({
      hosts: ['127.0.0.1', ...Array.from({ length: 2000 }, (_, index) => `host-${index}.fitness.example`)],
    }),
  },
  {
    name: 'tls-alert',
    title: 'Ends every handshake with an alert.',
    // A fatal handshake_failure (RFC 8446 section 6).
    server: overTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])));
    }),
  },
  {
    name: 'tls-garbage',
    title: 'Answers the handshake with random bytes.',
    server: overTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.alloc(4096, 0x16)));
    }),
  },
  {
    name: 'handshake-stalls',
    title: 'Begins the handshake and never ends it.',
    // The header of a record of 16 kB that never comes.
    server: overTcp((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00])));
    }),
  },
  {
    name: 'http2-only',
    title: 'Speaks HTTP/2 and nothing else.',
    server: (leaf) =>
      createSecureServer({ ...leaf, allowHTTP1: false }, (request, response) => {
        request.resume();
        response.end('{}');
      }),
  },
];
