import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/package.js';
import { expect, test } from '../support/test.js';

/** Prose has lines of at most 100 characters. Tables, code, pictures and long words are left out. */

const longest = 100;

/** The files of a folder, and of those in it, whose names end so. */
const filesIn = (folder: string, end: RegExp, recursive = true): readonly string[] =>
  readdirSync(join(packageRoot, folder), { recursive, encoding: 'utf8' })
    .filter((name) => end.test(name))
    .map((name) => join(folder, name));

const linesOf = (file: string): readonly string[] => readFileSync(join(packageRoot, file), 'utf8').split('\n');

const isLong = (line: string): boolean => [...line].length > longest && /\s/.test(line.trim().slice(0, longest));

/** `file:line` of each line that is too long, among those that are prose. */
const tooLong = (file: string, isProse: (line: string) => boolean): readonly string[] =>
  linesOf(file).flatMap((line, index) => (isProse(line) && isLong(line) ? [`${file}:${index + 1}`] : []));

test('prose in documents has short lines', () => {
  const files = [
    ...filesIn('.', /\.md$/, false),
    ...['docs', 'specs', 'bench'].flatMap((name) => filesIn(name, /\.md$/)),
  ];
  expect(files.length).toBeGreaterThan(8);
  const long = files.flatMap((file) => {
    let isCode = false;
    return tooLong(file, (line) => {
      if (line.trimStart().startsWith('```')) isCode = !isCode;
      return !isCode && !/^(?:\||!\[|`)/.test(line);
    });
  });
  expect(long).toEqual([]);
});

test('comments have short lines', () => {
  expect(tooLong('.env.example', (line) => line.startsWith('# '))).toEqual([]);
  const files = filesIn('src', /\.tsx?$/);
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((file) => tooLong(file, (line) => /^\s*(?:\/\/|\/?\*)/.test(line)))).toEqual([]);
});
