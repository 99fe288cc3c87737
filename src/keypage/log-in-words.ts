import type { Names } from './in-page.js';

/** What the controls and fields of a page say of themselves. */
export interface Wording {
  /** Text without accents, capitals and repeated blanks. */
  readonly plain: (text: string) => string;
  readonly plainNameOf: (control: Element) => string;
  readonly labelOf: (input: HTMLInputElement) => string;
  /** The name is one that controls of a log-in have, and those of other forms too. */
  readonly saysGoOn: (name: string) => boolean;
  /** The name says that it logs in in another way. */
  readonly saysOtherWay: (name: string) => boolean;
  /** The name says that it helps with the fields, and sends none of them. */
  readonly saysAside: (name: string) => boolean;
}

export const createWording = ({ nameOf, textOf, labelsOf }: Names): Wording => {
  const plain = (text: string): string =>
    text
      .normalize('NFD')
      .replace(/\p{Diacritic}/gu, '')
      .replace(/\s+/g, ' ')
      .trim()
      .toLowerCase();
  const goesOn = /^(continue|next|weiter|suivant|siguiente|submit|absenden|ok)\b/;
  const otherWay = /\b(with|via|using|google|github|gitlab|facebook|apple|microsoft|sso|saml|passkey|mit|avec|con)\b/;
  const aside = /\b(forgot|forgotten|reset|vergessen|oublie|olvid\w*|show|hide|cancel|search|remember)\b/;
  return {
    plain,
    plainNameOf: (control) => plain(nameOf(control)),
    labelOf: (input) => {
      const texts = [...(input.labels ?? []), ...labelsOf(input)].map(textOf);
      return plain([...texts, input.getAttribute('aria-label') ?? '', input.placeholder, input.title].join(' '));
    },
    saysGoOn: (name) => goesOn.test(name),
    saysOtherWay: (name) => otherWay.test(name),
    saysAside: (name) => aside.test(name),
  };
};
