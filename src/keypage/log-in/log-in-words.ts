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
  return {
    plain,
    plainNameOf: (control: Element): string => plain(nameOf(control)),
    labelOf: (input: HTMLInputElement): string => {
      const texts = [...(input.labels ?? []), ...labelsOf(input)].map(textOf);
      return plain([...texts, input.getAttribute('aria-label') ?? '', input.placeholder, input.title].join(' '));
    },
  };
};

export type Wording = ReturnType<typeof createWording>;
