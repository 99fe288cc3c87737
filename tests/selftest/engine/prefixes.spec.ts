import { loadContract } from '../../../src/contract/load.js';
import { allot } from '../../../src/engine/budget/budget.js';
import { planOf } from '../../../src/engine/plan.js';
import { deployment } from '../../generator/gated-services.js';
import { withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

test('a path prefix with a third of the operations of its gate gets every field of a proxy', async () => {
  const names = ['apples', 'pears', 'plums'];
  const paths = [0, 1, 2, 3].flatMap((number) => names.map((name) => `/${name}/r${number}`));
  const document = {
    openapi: '3.1.1',
    info: { title: 'T', version: '1' },
    security: [{ key: [] }],
    paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: { description: '-' } } } }])),
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  };
  await withFiles({ 'a.json': JSON.stringify(document) }, async (path) => {
    const contract = await loadContract(path('a.json'));
    const { checks } = planOf(contract, deployment);
    const { operations } = contract;
    const { armed, assigned } = allot({ checks, operations, budget: { probes: 'spread' } });
    const fields = armed.filter(({ check }) => check.rule.id === 'refuses-proxy-fields');
    const pathOf = new Map(operations.map((each) => [each.id, each.path]));
    const tricks = new Set(fields.flatMap((each) => each.tricks));
    for (const name of names) {
      const of = fields.filter(({ check }) => pathOf.get(check.operation)?.startsWith(`/${name}/`));
      const sent = new Set(of.flatMap(({ check }) => [...(assigned.get(check.id) ?? [])]));
      expect(
        [...tricks].filter((trick) => !sent.has(trick)),
        name,
      ).toEqual([]);
    }
  });
});
