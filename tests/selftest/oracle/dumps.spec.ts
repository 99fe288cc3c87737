import { type JudgedAs, judgeService } from '../../generator/judged.js';
import type { Answer } from '../../generator/refusals.js';
import { json, serviceOf, text } from '../support/odd-service.js';
import { expect, test } from '../support/test.js';

/**
 * Refusals that dump what was read, as languages and their tools write it. The twin of each is a
 * dump of the same form that holds nothing of the key's owner.
 */

interface Row {
  readonly id: number;
  readonly date: string;
  readonly km: number;
  readonly note: string;
}

const rows: readonly Row[] = [
  { id: 4_112, date: '2024-03-01', km: 12.4, note: 'Easy run, no pain' },
  { id: 4_119, date: '2024-03-04', km: 8.1, note: 'Hills: six times' },
  { id: 4_126, date: '2024-03-09', km: 21.1, note: "Anna's long one" },
];
/** What the code worked on when there was no key. */
const settings: readonly Row[] = [
  { id: 9_301, date: '2019-05-04', km: 1.2, note: 'No key was sent, see help' },
  { id: 9_302, date: '2019-05-05', km: 1.3, note: 'Guard: key of the account' },
  { id: 9_303, date: '2019-05-06', km: 1.4, note: "The service's own rule" },
];

/** Each row with what `named` makes of its names and values. */
const each = (
  all: readonly Row[],
  named: (name: string, value: number | string) => string,
  between: string,
): string[] =>
  all.map((row) =>
    Object.entries(row)
      .map(([name, value]) => named(name, value))
      .join(between),
  );

const php = (value: number | string): string =>
  typeof value === 'number'
    ? Number.isInteger(value)
      ? `i:${value};`
      : `d:${value};`
    : `s:${value.length}:"${value}";`;
const inCapitals = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const table = (all: readonly Row[]): string =>
  `<table>${each(all, (_, value) => `<td>${value}</td>`, '')
    .map((cells) => `<tr>${cells}</tr>`)
    .join('')}</table>`;

const dumps: readonly (readonly [what: string, of: (all: readonly Row[]) => Answer])[] = [
  [
    'a serialised array of PHP',
    (all) =>
      text(
        'text/plain',
        `a:3:{${each(all, (name, value) => php(name) + php(value), '')
          .map((one, at) => `i:${at};a:4:{${one}}`)
          .join('')}}`,
        401,
      ),
  ],
  [
    'print_r of PHP in a page',
    (all) =>
      text(
        'text/html',
        `<pre>Array\n(\n${each(all, (name, value) => `            [${name}] => ${value}`, '\n').join('\n)\n')}\n)</pre>`,
        500,
      ),
  ],
  [
    'records of Java',
    (all) =>
      text(
        'text/plain',
        `No key for [${each(all, (name, value) => `${name}=${value}`, ', ')
          .map((one) => `Workout[${one}]`)
          .join(', ')}]`,
        403,
      ),
  ],
  [
    'structs of Go',
    (all) =>
      text(
        'text/plain',
        `panic: [${each(all, (name, value) => `${inCapitals(name)}:${value}`, ' ')
          .map((one) => `{${one}}`)
          .join(' ')}]`,
        500,
      ),
  ],
  [
    'hashes of Ruby in JSON',
    (all) =>
      json(
        {
          error: 'no key',
          in: `[${each(all, (name, value) => `:${name}=>${JSON.stringify(value)}`, ', ')
            .map((one) => `{${one}}`)
            .join(', ')}]`,
        },
        401,
      ),
  ],
  [
    'structs of Rust',
    (all) =>
      text(
        'text/plain',
        each(all, (name, value) => `${name}: ${JSON.stringify(value)}`, ', ')
          .map((one) => `Workout { ${one} }`)
          .join(', '),
        500,
      ),
  ],
  ['a table behind the JSON of a refusal', (all) => text('text/html', `{"error":"no key"}${table(all)}`, 403)],
  [
    'lists without names',
    (all) => json({ error: 'no key', seen: { rows: all.map((row) => Object.values(row)) } }, 401),
  ],
  ['sentences', ([one]) => json({ detail: `Workout ${one?.id} (${one?.note}) of ${one?.date} is private` }, 403)],
];

const foundIn = (open: Answer): JudgedAs => judgeService(serviceOf(json({ rows }), open, false)).found;

for (const [what, of] of dumps)
  test(`rows of the key’s owner are found in ${what}`, () => {
    expect(foundIn(of(rows))).toBe('accused');
    expect(foundIn(of(settings))).not.toBe('accused');
  });
