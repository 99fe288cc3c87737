/** @jsxImportSource preact */
import type { JSX } from 'preact';
import type { Explanation } from '../explain.js';
import { Texts } from './words.js';

/** The text of `access-conformance explain`, folded. */
export const Explained = ({ of, title }: { of: Explanation | undefined; title: string }): JSX.Element | null => {
  if (!of) return null;
  const parts = [
    ['What it asks', of.asks],
    ['What is sent', of.sends],
    ['How it is judged', of.judged],
    ['What usually causes a failure', of.causes],
    ['How servers fix it', of.fixes],
  ] as const;
  return (
    <details class="explained">
      <summary>{title}</summary>
      <dl>
        {parts.map(([name, text]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <Texts of={text} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
};
