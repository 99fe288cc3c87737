import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Results } from '../../../src/engine/results.js';
import { startReference } from '../../../src/reference/index.js';
import { playwright } from '../support/front-end.js';
import { expect, inCi, test } from '../support/test.js';

test(
  'the Playwright front-end names overlays as the command does, and says once which action matched nothing',
  inCi,
  async ({ cwd }) => {
    const actions = [
      { target: "$.paths['/api/v2/workuot/']", update: {} },
      { target: "$.paths['/api/v2/exercise/']", remove: true },
    ];
    writeFileSync(join(cwd, 'o.yaml'), stringify({ overlay: '1.0.0', info: { title: 'O', version: '1' }, actions }));
    const service = await startReference({});
    try {
      const { baseUrl, httpBaseUrl, key, caFile } = service;
      const env = { BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, API_KEY: key, CA_FILE: caFile, OVERLAY: 'o.yaml' };
      const { output } = await playwright(cwd, env, ['--grep', '@service|opens-without-credentials@']);
      expect(output.match(/warning: o\.yaml:6:\d+ this action matches nothing: /g)).toHaveLength(1);
      const text = readFileSync(join(cwd, 'reports', 'conformance', 'results.json'), 'utf8');
      const { contract } = JSON.parse(text) as Results;
      expect(contract.overlays).toMatchObject([{ file: 'o.yaml' }]);
      // Lines are wrapped where they end.
      expect(output.replace(/\s+/g, ' ')).toContain(
        `with the overlay o.yaml (sha256 ${contract.overlays?.[0]?.sha256.slice(0, 12)})`,
      );
    } finally {
      await service.close();
    }
  },
);
