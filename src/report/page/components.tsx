/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { entryOf, type Outcome } from '../../engine/outcomes.js';
import { visible } from '../../visible.js';
import { capitalised } from '../../words.js';
import { type Explanation, explanationParts } from '../describe-finding.js';

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

/** A sign with its word. */
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
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, which the keyboard must be able to do
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
