import type { Names } from '../reading/in-page.js';

/** What the controls and fields of a page say of themselves. */
export const createWording = ({ nameOf, textOf, labelsOf }: Names) => {
  /** Text without accents, capitals and repeated blanks. */
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
    plainNameOf: (control: Element): string => plain(nameOf(control)),
    labelOf: (input: HTMLInputElement): string => {
      const texts = [...(input.labels ?? []), ...labelsOf(input)].map(textOf);
      return plain([...texts, input.getAttribute('aria-label') ?? '', input.placeholder, input.title].join(' '));
    },
    /** The name is one that controls of a log-in have, and those of other forms too. */
    saysGoOn: (name: string): boolean => goesOn.test(name),
    /** The name says that it logs in in another way. */
    saysOtherWay: (name: string): boolean => otherWay.test(name),
    /** The name says that it helps with the fields, and sends none of them. */
    saysAside: (name: string): boolean => aside.test(name),
  };
};

export type Wording = ReturnType<typeof createWording>;
