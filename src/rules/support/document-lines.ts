import type { SourcePosition } from '../../contract/model.js';

/** How sentences name a line of the document, and how it is taken out of them again. */

/** `openapi.yaml:12`; in a document of one line with the column. */
export const lineOf = ({ file, line, column }: SourcePosition): string =>
  line === 1 ? `${file}:${line}:${column}` : `${file}:${line}`;

/** A line of `lineOf` behind the words that it belongs to: ` (openapi.yaml:12)`. */
export const atLine = (line: string): string => ` (${line})`;

/** A sentence without the lines that `atLine` put into it. */
export const withoutLines = (sentence: string): string => sentence.replace(/ \([^\s()]+(?::\d+){1,2}\)/g, '');
