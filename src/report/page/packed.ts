import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { jsonText } from '../../visible.js';

const deflate = promisify(deflateRaw);

/** Packs a value for the page: JSON, raw deflate, base64. A data block, so neither the browser nor the policy takes it for code. */
export const packed = async (id: string, value: unknown): Promise<string> => {
  const bytes = await deflate(JSON.stringify(value), { level: 6 });
  return `<script type="text/plain" id="${id}">${bytes.toString('base64')}</script>\n`;
};

/** JSON inside a script element: nothing in it can end the element or start a comment. */
export const inlineJson = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${jsonText(value).replaceAll('<', '\\u003c')}</script>\n`;
