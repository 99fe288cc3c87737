import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';

/** What a run leaves behind, read for what must not be in it. */

/** Every file below a folder. */
export function* filesIn(folder: string): Generator<readonly [name: string, bytes: Buffer]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    yield [path, readFileSync(path)];
  }
}

/**
 * Entries of a ZIP archive (and of one packed into a page as base64), inflated; the text of a gzip
 * file.
 */
export const unpacked = (bytes: Buffer): readonly Buffer[] => {
  const inside = /base64,(UEsDB[\w+/=]+)/.exec(bytes.toString('latin1'));
  const archive =
    bytes.subarray(0, 2).toString() === 'PK' ? bytes : inside?.[1] ? Buffer.from(inside[1], 'base64') : undefined;
  if (!archive) return bytes.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b])) ? [gunzipSync(bytes)] : [];
  const entries: Buffer[] = [];
  // Sizes stand in the central directory; local headers may leave them to a descriptor.
  for (let at = archive.indexOf('PK\u0001\u0002'); at >= 0; at = archive.indexOf('PK\u0001\u0002', at + 4)) {
    const method = archive.readUInt16LE(at + 10);
    const size = archive.readUInt32LE(at + 20);
    const local = archive.readUInt32LE(at + 42);
    const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(from, from + size);
    entries.push(method === 8 ? inflateRawSync(packed) : packed);
  }
  return entries;
};

/** The same, with what is packed inside that: a blob report holds traces. */
export const unpackedWhole = (bytes: Buffer): readonly Buffer[] => [
  bytes,
  ...unpacked(bytes).flatMap((inner) => unpackedWhole(inner)),
];

/** The part of base64 that three bytes make alone, whatever stands around them. */
const middleOfBase64 = (text: string): string => Buffer.from(text).toString('base64').slice(4, -4);

const everyFormOf = (key: string): readonly string[] => [
  key,
  encodeURIComponent(key),
  encodeURIComponent(encodeURIComponent(key)),
  [...Buffer.from(key)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  [...Buffer.from(key)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  JSON.stringify(key).slice(1, -1),
  JSON.stringify(JSON.stringify(key)).slice(3, -3),
  key.replaceAll('/', '\\/'),
  [...key].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  key.toUpperCase(),
  key.toLowerCase(),
  [...key].map((character) => (/[a-z]/.test(character) ? character.toUpperCase() : character.toLowerCase())).join(''),
  [...key].reverse().join(''),
  [...key.slice(0, key.length / 2)].reverse().join(''),
  [...key.slice(key.length / 2)].reverse().join(''),
  key.slice(key.length / 2) + key.slice(0, key.length / 2),
  key.slice(0, key.length / 2),
  key.slice(key.length / 2),
  ...[key, ` ${key}`, `  ${key}`].flatMap((text) => [
    middleOfBase64(text),
    middleOfBase64(text).replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent(middleOfBase64(text)),
  ]),
  Buffer.from(key).toString('hex'),
  Buffer.from(key).toString('hex').toUpperCase(),
  [...key].join('\0'),
];

/**
 * The forms in which a key may get into an artefact; half of it is one of them. A form that holds
 * another one is left out: what has the one has the other.
 */
export const formsOf = (key: string): readonly string[] => {
  const all = [...new Set(everyFormOf(key))];
  return all.filter((form) => all.every((other) => other === form || !form.includes(other)));
};
