import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from '../support/app.js';
import { documentOf, operationOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** How many requests a run sends: one number, whoever says it. */

const numberIn = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? text;

test('doctor, plan and its table say the same number of requests, with a key and without', inCi, async ({ cwd }) => {
  const paths = Array.from({ length: 60 }, (_, index) => [
    `/v${index % 3}/things${index}`,
    { get: operationOf({ operationId: `list${index}`, security: index % 5 === 0 ? [] : [{ key: [] }] }) },
  ]);
  writeFileSync(
    join(cwd, 'openapi.json'),
    JSON.stringify(
      documentOf({
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        paths: Object.fromEntries(paths),
      }),
    ),
  );
  const base = { BASE_URL: 'https://127.0.0.1:9', CONTRACT: 'openapi.json' };
  const command = JSON.stringify([process.execPath, '-e', "console.log('the-key-of-somebody')"]);
  for (const [keys, more, row] of [
    [{}, {}, 'PROBES=spread'],
    [{ API_KEY: 'the-key-of-somebody' }, { PROBES: 'extended' }, 'PROBES=extended'],
    [{ API_KEY_COMMAND: command }, { MAX_REQUESTS: '2500' }, 'MAX_REQUESTS=2500'],
  ] as const) {
    const env = { ...base, ...keys, ...more };
    const plan = (await app(['plan'], { cwd, env })).out;
    const said = numberIn(/^([\d,]+) requests: /m, plan);
    expect(numberIn(new RegExp(`${row} +([\\d,]+) requests: `), plan), row).toBe(said);
    expect(numberIn(/! requests +([\d,]+) requests planned/, (await app(['doctor'], { cwd, env })).out), row).toBe(
      said,
    );
  }
});
