import { readFileSync } from 'node:fs';
import { openapiOverlay } from 'openapi-format';
import { parse } from 'yaml';
import { loadContract } from '../../../src/contract/load.js';
import { Problems } from '../../../src/contract/node.js';
import { applyOverlays } from '../../../src/contract/overlay.js';
import { readSource } from '../../../src/contract/source.js';
import { asset } from '../../../src/package.js';
import { proposalOf } from '../../../src/proposal/proposal.js';
import { overlayText } from '../../../src/proposal/proposal-page.js';
import { variants } from '../../../src/reference/index.js';
import { withFiles } from '../support/documents.js';
import { judgeRecorded } from '../support/judge-recorded.js';
import { readRecordings } from '../support/recordings.js';
import { expect, inCi, sample, test } from '../support/test.js';

/** Another implementation of the Overlay Specification gives the same documents as ours. */

const byUs = (document: string, overlay: string): Promise<unknown> =>
  withFiles({ 'a.yaml': document, 'o.yaml': overlay }, async (path) => {
    const problems = new Problems();
    const { value } = applyOverlays(readSource(path('a.yaml')), path('o.yaml'), problems);
    problems.throwErrors();
    expect(problems.warnings).toEqual([]);
    return value;
  });

const byOther = async (document: string, overlay: string): Promise<unknown> => {
  const { data, resultData } = await openapiOverlay(parse(document), { overlaySet: parse(overlay) });
  expect(resultData.totalUnusedActions).toBe(0);
  return data;
};

const shipped = asset('openapi', 'fitness-data-service.yaml');

test('what is proposed of conforming services applies with the same result', inCi, async () => {
  const document = readFileSync(shipped, 'utf8');
  const recordings = readRecordings();
  let applied = 0;
  for (const { name, settings = {} } of sample(variants, 24)) {
    const recording = recordings.get(name);
    if (!recording) continue;
    const { results } = await judgeRecorded(recording, settings);
    // Two runs make what was seen sure enough to be in force.
    const overlay = overlayText(proposalOf(await loadContract(shipped, { paths: settings }), [results, results]));
    expect(await byUs(document, overlay), name).toEqual(await byOther(document, overlay));
    applied += 1;
  }
  expect(applied).toBeGreaterThan(10);
});

const overlay = `
overlay: 1.0.0
info: { title: O, version: '1' }
actions:
  - { target: $.info, update: { description: said } }
  - { target: "$.paths['/a','/b'].get", update: { security: [] } }
  - { target: "$.paths['/a'].get.responses", update: { '200': { description: seen, content: { 'application/json': {} } } } }
  - { target: "$.paths['/b'].get.responses.default", remove: true }
  - { target: "$.paths['/it\\\\'s'].get['x-access-assumed-path']", remove: true }
  - { target: "$['x-access-gaps'][?@.id == 'GAP-2']", remove: true }
  - { target: "$.paths.*[?@.responses && !@.security]", update: { security: [{ key: [] }] } }
`;

test('each form of target that is written or taught applies with the same result', async () => {
  const operation = '{ responses: { default: { description: silent } } }';
  const document = `
openapi: 3.1.1
info: { title: T, version: '1' }
x-access-gaps: [{ id: GAP-1 }, { id: GAP-2 }, { id: GAP-3 }]
paths:
  /a: { get: ${operation} }
  /b: { get: ${operation} }
  /it's: { get: { x-access-assumed-path: true, responses: {} } }
`;
  const ours = await byUs(document, overlay);
  expect(ours).toEqual(await byOther(document, overlay));
  expect(ours).toMatchObject({
    'x-access-gaps': [{ id: 'GAP-1' }, { id: 'GAP-3' }],
    paths: { '/a': { get: { security: [] } }, "/it's": { get: { security: [{ key: [] }] } } },
  });
});
