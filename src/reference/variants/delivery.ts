import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { answering, finishing, hasField, type Override, workoutsAs } from '../behaviour.js';
import { combine, type VariantDefinition, variant, withNames } from '../definitions.js';
import {
  type Answer,
  type Call,
  type Delivery,
  empty,
  type HeaderPair,
  hangUp,
  html,
  json,
  withHeaders,
} from '../messages.js';

/** Variants that send the same answers in other ways. */

const isHead = ({ method }: Call): boolean => method === 'HEAD';

const isOptions = ({ method }: Call): boolean => method === 'OPTIONS';

const delivered = (delivery: Delivery): Override => finishing((answer) => ({ ...answer, delivery }));

const withFields = (...headers: HeaderPair[]): Override => finishing((answer) => withHeaders(answer, headers));

const coded = (coding: string, encode: (body: Buffer) => Buffer, isAccepted = (_call: Call) => true): Override =>
  finishing((answer, call) =>
    answer.body.length === 0 || !isAccepted(call)
      ? answer
      : { ...withHeaders(answer, [['Content-Encoding', coding]]), body: encode(Buffer.from(answer.body)) },
  );

export const deliveryVariants = withNames<VariantDefinition>({
  chunked: variant('Sends bodies in chunks.', delivered('chunked')),
  'ends-by-closing': variant('Sends bodies without a length and closes.', delivered('until-close')),
  'http-1.0': variant('Speaks HTTP/1.0.', delivered('http/1.0')),
  'closes-connections': variant('Closes the connection after every answer.', withFields(['Connection', 'close'])),
  'short-keep-alive': { title: 'Keeps idle connections for a twentieth of a second.', keepAliveMs: 50 },
  gzip: variant(
    'Compresses with gzip where that is accepted.',
    coded('gzip', gzipSync, hasField('Accept-Encoding', /\bgzip\b/)),
  ),
  'gzip-always': variant('Compresses with gzip, asked or not.', coded('gzip', gzipSync)),
  'brotli-always': variant('Compresses with Brotli, asked or not.', coded('br', brotliCompressSync)),
  'deflate-always': variant('Compresses with deflate, asked or not.', coded('deflate', deflateSync)),
  slow: variant(
    'Takes a seventh of a second for every answer.',
    finishing(async (answer) => {
      await pause(140);
      return answer;
    }),
  ),
  jittery: variant(
    'Takes between nothing and a twelfth of a second for an answer.',
    finishing(async (answer) => {
      await pause(Math.random() * 80);
      return answer;
    }),
  ),
  'http2-too': { title: 'Offers HTTP/2 as well, guarded like the rest.', protocols: ['h2', 'http/1.1'] },
  'tls-1.2-only': { title: 'Speaks TLS 1.2 only.', tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } },
  'tls-1.3-only': { title: 'Speaks TLS 1.3 only.', tls: { minVersion: 'TLSv1.3' } },
  'many-cookies': variant(
    'Sets cookies of a load balancer and a bot filter with every answer; they open nothing.',
    finishing((answer) => ({
      ...answer,
      headers: [
        ...answer.headers,
        ['Set-Cookie', `lb=${Math.random().toString(36).slice(2)}; Path=/; Secure; HttpOnly`],
        ['Set-Cookie', `__cf_bm=${Math.random().toString(36).slice(2)}; Path=/; Secure`],
      ],
    })),
  ),
  'no-head': variant(
    'HEAD is not allowed.',
    answering(isHead, () => empty(405, [['Allow', 'GET, OPTIONS']])),
  ),
  'head-hangs-up': variant(
    'Closes the connection on every HEAD.',
    answering(isHead, () => hangUp),
  ),
  'head-200-for-everything': variant(
    'Answers every HEAD with 200 and nothing else.',
    answering(isHead, () => empty(200)),
  ),
  'head-tells-nothing': variant(
    'HEAD is guarded and has neither length nor type in its answers.',
    finishing((answer, call) => (isHead(call) ? { ...empty(answer.status), delivery: 'chunked' } : answer)),
  ),
  'head-of-its-own': variant(
    'Routes answer HEAD with the fields of a health check, to anybody.',
    answering(
      (call, base) => isHead(call) && base.route(call),
      () => json(200, { ok: true }),
    ),
  ),
  'preflights-for-all': variant(
    'Answers every OPTIONS with 200 and the fields of CORS.',
    answering(isOptions, () =>
      empty(200, [
        ['Access-Control-Allow-Origin', '*'],
        ['Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS'],
        ['Access-Control-Allow-Headers', 'Authorization'],
      ]),
    ),
  ),
  'options-guarded': variant('OPTIONS needs the key too.', (base, { self }) => ({
    answer: (call) => {
      const resource = base.route(call);
      return isOptions(call) && resource && self.guards(call, resource) && !self.identify(call)
        ? self.refuse(call, resource)
        : base.answer(call);
    },
  })),
  'options-described': variant(
    'OPTIONS describes the resource to everybody: its name, its members and what may stand in them.',
    answering(
      (call, base) => isOptions(call) && base.route(call),
      (call, base) =>
        json(200, {
          name: `${base.route(call)} list`,
          renders: ['application/json'],
          results: { id: 'integer', name: 'string', impression: ['bad', 'neutral', 'good'] },
        }),
    ),
  ),
  'options-empty': variant(
    'OPTIONS of every resource gets an empty list, as does an owner without workouts.',
    combine(
      workoutsAs(() => json(200, [])),
      answering(
        (call, base) => isOptions(call) && base.route(call),
        () => json(200, []),
      ),
    ),
  ),
  'early-hints': variant(
    'Sends an interim response before every answer.',
    finishing((answer) => ({ ...answer, interim: [['Link', '</assets/style.css>; rel=preload; as=style']] })),
  ),
  'ipv6-too': {
    title: 'Answers alike at the IPv4 and the IPv6 address of its host.',
    needs: 'ipv6',
    overIpv6: ({ answer, plain }) => ({ answer, plain }),
  },
  'ipv6-hangs-up': {
    title: 'Closes every connection to the IPv6 address of its host.',
    needs: 'ipv6',
    overIpv6: () => ({ answer: () => hangUp, plain: () => hangUp }),
  },
  'ipv6-of-a-website': {
    title: 'Shows one page for everything at the IPv6 address of its host.',
    needs: 'ipv6',
    overIpv6: () => {
      const page = (): Answer => html(200, 'Welcome', '<p>This server is set up.</p>');
      return { answer: page, plain: page };
    },
  },
  'many-fields': variant(
    'Sends eighty fields with every answer.',
    withFields(...Array.from({ length: 80 }, (_, index): HeaderPair => [`X-Trace-${index}`, `hop ${index} of 80`])),
  ),
});
