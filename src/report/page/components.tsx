/** @jsxImportSource preact */
import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { type ComponentChildren, Fragment, h, type JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { lazy } from '../../collections.js';
import { entryOf, type Outcome } from '../../engine/outcomes.js';
import { asset } from '../../package.js';
import { jsonText, visible } from '../../visible.js';
import { capitalised } from '../../words.js';
import { type Explanation, explanationParts } from '../describe-finding.js';

const hashOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Modules of the page's script, each after those that it imports. */
const modules = ['dom', 'data', 'details', 'state', 'rows', 'matrix', 'filter', 'links', 'main'];

/** The modules as one script: their names are unique, so imports and exports can be left out. */
const scriptText = lazy((): string => {
  const parts = modules.map((name) =>
    readFileSync(asset('assets', 'page', `${name}.js`), 'utf8')
      .replace(/^import [^;]*;\n/gm, '')
      .replace(/^export /gm, ''),
  );
  return `(() => {\n${parts.join('\n')}})();\n`;
});

/**
 * The HTML before and after a page's content. A policy allows its own stylesheet and script by hash
 * and nothing else, so that nothing that a server sent can run.
 */
export const htmlDocument = (title: string): { readonly start: string; readonly end: string } => {
  const style = readFileSync(asset('assets', 'page.css'), 'utf8');
  const script = scriptText();
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  return {
    start: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
`,
    end: `<script>${script}</script>
</body>
</html>
`,
  };
};

const deflate = promisify(deflateRaw);

/** Items rendered at a time. */
const atATime = 256;

/** Marks a place in a container that `renderWithSlots` fills. */
export const slot = `hole-${randomUUID()}`;

/** The HTML of the container in pieces, with the next of `contents` in each slot. */
export function* renderWithSlots(container: JSX.Element, ...contents: readonly Iterable<string>[]): Generator<string> {
  const [before = '', ...after] = renderToString(container).split(slot);
  yield before;
  for (const [index, inside] of contents.entries()) {
    yield* inside;
    yield after[index] ?? '';
  }
}

/** The HTML of a list, in pieces: a clause may have fifty thousand checks. */
export function* renderEach<T>(items: readonly T[], render: (item: T, at: number) => JSX.Element): Generator<string> {
  for (let from = 0; from < items.length; from += atATime) {
    const rows = items.slice(from, from + atATime).map((item, index) => render(item, from + index));
    yield renderToString(h(Fragment, null, rows));
  }
}

/** A value as JSON, raw deflate and base64, in a data block that browsers do not run. */
export const packed = async (id: string, value: unknown): Promise<string> => {
  const bytes = await deflate(JSON.stringify(value), { level: 6 });
  return `<script type="text/plain" id="${id}">${bytes.toString('base64')}</script>\n`;
};

/** JSON for a script element. `<` is escaped, so that nothing can end the element. */
export const jsonForScript = (value: unknown): string => jsonText(value).replaceAll('<', '\\u003c');

export const inlineJson = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${jsonForScript(value)}</script>\n`;

/** The sign of an outcome. `word` shows its name too; otherwise only screen readers get it. */
export const Mark = ({ outcome, word = false }: { outcome: Outcome; word?: boolean }) => {
  const { glyph, tone } = entryOf(outcome);
  return word ? (
    <Sign tone={tone} glyph={glyph} word={outcome} />
  ) : (
    <span class={`mark ${tone}`} role="img" aria-label={outcome}>
      {glyph}
    </span>
  );
};

export const Sign = ({ tone, glyph, word }: { tone: string; glyph: string; word: string }) => (
  <span class={`mark ${tone}`}>
    <span class="glyph" aria-hidden="true">
      {glyph}
    </span>
    <span class="word">{word}</span>
  </span>
);

/** Text of a finding. Invisible characters become escapes, and setting names code. */
export const Prose = ({ text }: { text: string }) => {
  const parts = capitalised(visible(text)).split(
    /(`[^`]+`|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=[\w.:/-]*\w)?|\bDEVIATIONS\b|\bCONTRACT\b)/,
  );
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code>{part.replaceAll('`', '')}</code> : part))}</>;
};

/** A term, what is said of it, and the class of both. */
export type Term = readonly [term: ComponentChildren, said: ComponentChildren, kind?: string | undefined];

/** Terms, each with what is said of it. */
export const Terms = ({ of, kind }: { of: readonly Term[]; kind?: string }) => (
  <dl class={kind}>
    {of.map(([term, said, own]) => (
      <div class={own}>
        <dt>{term}</dt>
        <dd>{said}</dd>
      </div>
    ))}
  </dl>
);

/** A table that may be wider than the page. */
export const Wide = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to scroll it sideways
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);

/** One or more texts of an `Explanation`. */
const Texts = ({ of }: { of: string | readonly string[] }) => {
  const list = typeof of === 'string' ? [of] : of;
  if (list.length === 1)
    return (
      <p>
        <Prose text={list[0] ?? ''} />
      </p>
    );
  return (
    <ul>
      {list.map((text) => (
        <li>
          <Prose text={text} />
        </li>
      ))}
    </ul>
  );
};

/** A command with a copy button, which is hidden when scripts are off. */
export const Command = ({ line }: { line: string }) => (
  <div class="command">
    <pre>
      <code>{line}</code>
    </pre>
    <button type="button" class="copy" data-copy>
      Copy
    </button>
  </div>
);

/** A link to a clause, gap or check of this page. */
export const Ref = ({ id, children }: { id: string; children?: ComponentChildren }) => (
  <a href={`#${encodeURIComponent(visible(id))}`}>{children ?? visible(id)}</a>
);

/** The text of `access-conformance explain`, collapsed. */
export const ExplanationDetails = ({ of, title }: { of: Explanation | undefined; title: string }) => {
  if (!of) return null;
  return (
    <details class="explained">
      <summary>{title}</summary>
      <Terms of={explanationParts(of).map(([name, text]): Term => [name, <Texts of={text} />])} />
    </details>
  );
};

/** `Section 5.3`, or `Source: security` for a member of the document. */
export const sourceWords = (source: string): string =>
  `${/^\d/.test(source) ? 'Section ' : 'Source: '}${visible(source)}`;
