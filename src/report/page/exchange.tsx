/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { orUndefined } from '../../collections.js';
import { curlLine } from '../../engine/curl-line.js';
import { visible, visibleLines } from '../../visible.js';
import type { Shape } from '../../wire/body-shape.js';
import type { Attempt, Exchange, HeaderPair, Timing, TlsFacts } from '../../wire/types.js';
import { bytes, clip, count, counted } from '../../words.js';
import { answerSummary } from '../describe-finding.js';
import type { RunSummary } from '../run-summary.js';
import { Command } from './components.js';

/** Limits in characters, `headers` in fields; `results.json` has the rest. */
const shown = { value: 600, headers: 60, body: 4_000, structure: 1_500 } as const;

/** An exchange as one line that opens to request and response. */
export const ExchangeLog = ({ exchange, options }: { exchange: Exchange; options: RunSummary['options'] }) => {
  const { probe, request, attempts } = exchange;
  const last = attempts.at(-1);
  return (
    <details class="exchange" data-exchange={exchange.id}>
      <summary>
        <span class="request">
          {request.method} {clip(visible(probe.target), 160)}
        </span>
        <span class="probe">{visible(probe.name)}</span>
        <span class="status">{last ? answerSummary(last) : ''}</span>
        <span class="ms">{last ? `${Math.round(last.timing.total)} ms` : ''}</span>
      </summary>
      <div class="wire">
        <section class="sent">
          <h5>Request</h5>
          <pre>
            <b>
              {request.method} {clip(visible(probe.target), 2_000)} {probe.protocol === 'h2' ? 'HTTP/2' : 'HTTP/1.1'}
            </b>
            {'\n'}
            {fieldLines(request.headers)}
          </pre>
          <p class="facts">{describeConnection(exchange)}</p>
          <Command line={curlLine(exchange, options)} />
        </section>
        <div class="received">
          {attempts.map((attempt, at) => (
            <section>
              <h5>{attempts.length > 1 ? `Attempt ${at + 1} of ${attempts.length}` : 'Response'}</h5>
              <Answered attempt={attempt} />
              <p class="facts">{describeTiming(attempt.timing)}</p>
              {attempt.tls && <p class="facts">{describeTls(attempt.tls)}</p>}
            </section>
          ))}
        </div>
      </div>
    </details>
  );
};

/** Not a component: thousands of fields are rendered, and components cost time. */
const fieldLines = (of: readonly HeaderPair[]): ComponentChildren[] => [
  ...of
    .slice(0, shown.headers)
    .flatMap(([name, value]) => [
      <span class="name">{clip(visible(name), shown.value)}</span>,
      `: ${clip(visible(value), shown.value)}\n`,
    ]),
  of.length > shown.headers && `… and ${counted(of.length - shown.headers, 'more field')}\n`,
];

const Answered = ({ attempt: { response, error } }: { attempt: Attempt }) => {
  if (!response)
    return (
      <p class="problem">{error ? `${error.code}: ${clip(visible(error.message), shown.value)}` : 'No answer.'}</p>
    );
  return (
    <>
      <pre>
        <b>
          HTTP/{visible(response.httpVersion)} {response.status}
        </b>
        {'\n'}
        {fieldLines(response.headers)}
      </pre>
      <Body response={response} />
    </>
  );
};

const Body = ({ response }: { response: NonNullable<Attempt['response']> }) => {
  const { body, shape, size } = response;
  const cut = response.truncated ? ', cut there by the suite' : '';
  if (size === 0) return <p class="facts">No body.</p>;
  if (body === undefined || body === '') {
    return (
      <>
        <p class="facts">
          Body not stored{shape.kind === 'binary' ? ': it is not text' : ': it may be somebody’s data'}. {bytes(size)}
          {cut}, {shape.mediaType === '' ? `no media type, ${shape.kind}` : visible(shape.mediaType)}
          {shape.shape ? ', with this structure:' : '.'}
        </p>
        {shape.shape && <pre class="body">{clip(visibleLines(structure(shape.shape)), shown.structure)}</pre>}
      </>
    );
  }
  const text = shape.kind === 'json' ? pretty(body) : body;
  return (
    <>
      <pre class="body">{visibleLines(text.slice(0, shown.body))}</pre>
      <p class="facts">
        {text.length > shown.body ? `The first ${count(shown.body)} characters of ` : ''}
        {bytes(size)}
        {cut}
      </p>
    </>
  );
};

const pretty = (body: string): string => orUndefined(() => JSON.stringify(JSON.parse(body), null, 2)) ?? body;

/** A body without values: `{ "count": number, "results": [ 2 × { "id": number } ] }`. */
const structure = (shape: Shape, indent = ''): string => {
  const deeper = `${indent}  `;
  if (shape.type === 'object') {
    if (shape.members.length === 0) return '{}';
    return `{\n${shape.members.map(([name, member]) => `${deeper}${JSON.stringify(name)}: ${structure(member, deeper)}`).join(',\n')}\n${indent}}`;
  }
  if (shape.type === 'array') {
    const kinds = [...new Set(shape.items.map((item) => structure(item, indent)))];
    return kinds.length === 0 ? '[]' : `[${count(shape.length)} × ${kinds.join(' | ')}]`;
  }
  return shape.type;
};

const describeConnection = ({ connection, probe }: Exchange): string => {
  const where = connection.address === undefined ? '' : ` to ${visible(connection.address)}`;
  if (probe.connection === 'keyed') return `On the connection${where} that had just carried the key.`;
  const occasion = probe.occasion === undefined ? '' : `; ${visible(probe.occasion)}`;
  const round = probe.round > 1 ? `; ${ordinal(probe.round)} time` : '';
  return `On ${connection.reused ? 'an open' : 'a new'} connection${where}${occasion}${round}.`;
};

const ordinal = (value: number): string => ({ 2: 'second', 3: 'third' })[value] ?? `${value}th`;

const describeTiming = (timing: Timing): string => {
  const phases = [
    ['connected', timing.connect],
    ['TLS', timing.tls],
    ['first byte', timing.firstByte],
  ] as const;
  const late =
    timing.sinceBefore === undefined ? [] : [`sent ${timing.sinceBefore.toFixed(1)} ms after the request before it`];
  const parts = phases.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value.toFixed(1)} ms`]));
  return [...late, ...parts, `in all ${timing.total.toFixed(1)} ms`].join(' · ');
};

const describeTls = (tls: TlsFacts): string => {
  const [leaf] = tls.chain;
  const trust = tls.authorized
    ? 'certificate accepted'
    : `certificate not accepted (${visible(tls.authorizationError ?? 'unknown reason')})`;
  const certificate = leaf
    ? `: ${clip(visible(leaf.subject), 200)}, issued by ${clip(visible(leaf.issuer), 200)}, valid ${leaf.validFrom.slice(0, 10)} to ${leaf.validTo.slice(0, 10)}`
    : '';
  const chain = tls.chain.length > 1 ? `, ${counted(tls.chain.length, 'certificate')} in the chain` : '';
  return `${visible(tls.version)}${tls.alpn === undefined ? '' : `, ALPN ${visible(tls.alpn)}`}, ${trust}${certificate}${chain}`;
};
