import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Override } from '../behaviour.js';
import { named, type VariantDefinition, variant } from '../definitions.js';
import {
  type Answer,
  type Call,
  type Delivery,
  empty,
  fieldOf,
  type HeaderPair,
  hangUp,
  html,
  json,
  withHeaders,
} from '../messages.js';

/** Variants that send the same answers in other ways. */

const finishing =
  (finish: (answer: Answer, call: Call) => Answer | Promise<Answer>): Override =>
  (base) => ({ answer: async (call) => finish(await base.answer(call), call) });

const delivered = (delivery: Delivery): Override => finishing((answer) => ({ ...answer, delivery }));

const withFields = (...headers: HeaderPair[]): Override => finishing((answer) => withHeaders(answer, headers));

const coded = (coding: string, encode: (body: Buffer) => Buffer): Override =>
  finishing((answer) =>
    answer.body.length === 0
      ? answer
      : { ...withHeaders(answer, [['Content-Encoding', coding]]), body: encode(Buffer.from(answer.body)) },
  );

export const deliveryVariants = named<VariantDefinition>({
  chunked: variant('Sends bodies in chunks.', delivered('chunked')),
  'ends-by-closing': variant('Sends bodies without a length and closes.', delivered('until-close')),
  'http-1.0': variant('Speaks HTTP/1.0.', delivered('http/1.0')),
  'closes-connections': variant('Closes the connection after every answer.', withFields(['Connection', 'close'])),
  'short-keep-alive': variant('Keeps idle connections for a twentieth of a second.', () => ({}), { keepAliveMs: 50 }),
  gzip: variant('Compresses with gzip where that is accepted.', (base) => ({
    answer: async (call) => {
      const answer = await base.answer(call);
      if (!/\bgzip\b/.test(fieldOf(call, 'Accept-Encoding') ?? '') || answer.body.length === 0) return answer;
      return { ...withHeaders(answer, [['Content-Encoding', 'gzip']]), body: gzipSync(answer.body) };
    },
  })),
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
  'http2-too': variant('Offers HTTP/2 as well, guarded like the rest.', () => ({}), { protocols: ['h2', 'http/1.1'] }),
  'tls-1.2-only': variant('Speaks TLS 1.2 only.', () => ({}), {
    tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
  }),
  'tls-1.3-only': variant('Speaks TLS 1.3 only.', () => ({}), { tls: { minVersion: 'TLSv1.3' } }),
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
  'no-head': variant('HEAD is not allowed.', (base) => ({
    answer: (call) => (call.method === 'HEAD' ? empty(405, [['Allow', 'GET, OPTIONS']]) : base.answer(call)),
  })),
  'head-hangs-up': variant('Closes the connection on every HEAD.', (base) => ({
    answer: (call) => (call.method === 'HEAD' ? hangUp : base.answer(call)),
  })),
  'head-200-for-everything': variant('Answers every HEAD with 200 and nothing else.', (base) => ({
    answer: (call) => (call.method === 'HEAD' ? empty(200) : base.answer(call)),
  })),
  'head-tells-nothing': variant('HEAD is guarded and has neither length nor type in its answers.', (base) => ({
    answer: async (call) => {
      const answer = await base.answer(call);
      return call.method === 'HEAD' ? { status: answer.status, headers: [], body: '', delivery: 'chunked' } : answer;
    },
  })),
  'head-of-its-own': variant('Routes answer HEAD with the fields of a health check, to anybody.', (base) => ({
    answer: (call) => (call.method === 'HEAD' && base.route(call) ? json(200, { ok: true }) : base.answer(call)),
  })),
  'preflights-for-all': variant('Answers every OPTIONS with 200 and the fields of CORS.', (base) => ({
    answer: (call) =>
      call.method === 'OPTIONS'
        ? empty(200, [
            ['Access-Control-Allow-Origin', '*'],
            ['Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS'],
            ['Access-Control-Allow-Headers', 'Authorization'],
          ])
        : base.answer(call),
  })),
  'options-guarded': variant('OPTIONS needs the key too.', (base, { self }) => ({
    answer: (call) => {
      const resource = base.route(call);
      return call.method === 'OPTIONS' && resource && self.guards(call, resource) && !self.identify(call)
        ? self.refuse(call, resource)
        : base.answer(call);
    },
  })),
  'options-described': variant(
    'OPTIONS describes the resource to everybody: its name, its members and what may stand in them.',
    (base) => ({
      answer: (call) => {
        const resource = base.route(call);
        return resource && call.method === 'OPTIONS'
          ? json(200, {
              name: `${resource} list`,
              renders: ['application/json'],
              results: { id: 'integer', name: 'string', impression: ['bad', 'neutral', 'good'] },
            })
          : base.answer(call);
      },
    }),
  ),
  'options-empty': variant(
    'OPTIONS of every resource gets an empty list, as does an owner without workouts.',
    (base) => ({
      represent: (call, resource, owner) =>
        resource === 'workout' ? json(200, []) : base.represent(call, resource, owner),
      answer: (call) =>
        call.method === 'OPTIONS' && base.route(call) !== undefined ? json(200, []) : base.answer(call),
    }),
  ),
  'early-hints': variant(
    'Sends an interim response before every answer.',
    finishing((answer) => ({ ...answer, interim: [['Link', '</assets/style.css>; rel=preload; as=style']] })),
  ),
  'ipv6-too': variant('Answers alike at the IPv4 and the IPv6 address of its host.', () => ({}), {
    needs: 'ipv6',
    overIpv6: ({ answer, plain }) => ({ answer, plain }),
  }),
  'ipv6-hangs-up': variant('Closes every connection to the IPv6 address of its host.', () => ({}), {
    needs: 'ipv6',
    overIpv6: () => ({ answer: () => hangUp, plain: () => hangUp }),
  }),
  'ipv6-of-a-website': variant('Shows one page for everything at the IPv6 address of its host.', () => ({}), {
    needs: 'ipv6',
    overIpv6: () => {
      const page = (): Answer => html(200, 'Welcome', '<p>This server is set up.</p>');
      return { answer: page, plain: page };
    },
  }),
  'many-fields': variant(
    'Sends eighty fields with every answer.',
    withFields(...Array.from({ length: 80 }, (_, index): HeaderPair => [`X-Trace-${index}`, `hop ${index} of 80`])),
  ),
});
