/** @jsxImportSource preact */
import type { ComponentChildren, JSX } from 'preact';
import { entryOf, type Outcome } from '../../engine/outcomes.js';
import { capitalised, visible } from '../text.js';

/** Small parts that every section of the page uses. */

/** An outcome's sign in its colour; with `word` its name beside it, otherwise for screen readers alone. */
export const Mark = ({ outcome, word = false }: { outcome: Outcome; word?: boolean }): JSX.Element => {
  const { glyph, tone } = entryOf(outcome);
  if (!word) {
    return (
      <span class={`mark ${tone}`} role="img" aria-label={outcome}>
        {glyph}
      </span>
    );
  }
  return (
    <span class={`mark ${tone}`}>
      <span class="glyph" aria-hidden="true">
        {glyph}
      </span>
      <span class="word">{outcome}</span>
    </span>
  );
};

/** Text of a finding: foreign characters made visible, setting names set as code. */
export const Prose = ({ text }: { text: string }): JSX.Element => {
  const parts = capitalised(visible(text)).split(
    /(\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:=[\w.:/-]*\w)?|\bDEVIATIONS\b|\bCONTRACT\b)/,
  );
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
};

/** A list or a single text, as an `Explanation` has it. */
export const Texts = ({ of }: { of: string | readonly string[] }): JSX.Element => {
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

/** A command with a button that copies it. The button needs the script and stays away without it. */
export const Command = ({ line }: { line: string }): JSX.Element => (
  <div class="command">
    <pre>
      <code>{line}</code>
    </pre>
    <button type="button" class="copy" data-copy>
      Copy
    </button>
  </div>
);

/** Link to a clause, gap or check of this page. */
export const Ref = ({ id, children }: { id: string; children?: ComponentChildren }): JSX.Element => (
  <a href={`#${encodeURIComponent(visible(id))}`}>{children ?? visible(id)}</a>
);
