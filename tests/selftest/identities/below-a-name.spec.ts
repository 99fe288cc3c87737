import { type Answer, type Asked, judgeDocument, notFound, unauthorized } from '../support/document-server.js';
import { documentOf, withFiles } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

/** Names that several accounts chose alike: /tenants/{tenant}/projects/{project}/tasks/{task}. */

const keys = { API_KEY: 'ada-key-3e9d04b7c1a8526f', BO_KEY: 'bo-key-b80f6d2e9417c35a' };
const identities = `
- { name: ada, peers: [bo], owns: tn-7f3a91 }
- { name: bo, keys: { key: { variable: BO_KEY } }, peers: [ada], owns: tn-c05e28 }
`;

const responses = { default: { description: '-' } };
const read = (operationId: string, ...parameters: readonly string[]): object => ({
  get: {
    operationId,
    security: [{ key: [] }],
    responses,
    'x-access-owned': true,
    parameters: parameters.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
  },
});
const document = documentOf({
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/tenants': read('tenants'),
    '/tenants/{tenant}/projects': read('projects', 'tenant'),
    '/tenants/{tenant}/projects/{project}/tasks': read('tasks', 'tenant', 'project'),
    '/tenants/{tenant}/projects/{project}/tasks/{task}': read('task', 'tenant', 'project', 'task'),
  },
});

const tenants: Readonly<Record<string, string>> = { 'tn-7f3a91': keys.API_KEY, 'tn-c05e28': keys.BO_KEY };
/** Both have a project of the same name. The holder of API_KEY has another one, and more tasks. */
const projects: readonly (readonly [tenant: string, slug: string])[] = [
  ['tn-7f3a91', 'website'],
  ['tn-7f3a91', 'warehouse'],
  ['tn-c05e28', 'website'],
];
const tasks = projects.flatMap(([tenant, project], index) =>
  [0, 1, 2]
    .slice(index === 2 ? 1 : 0)
    .map((at) => ({ tenant, project, id: 4_101 + index * 10 + at, hours: 10_431 + index * 977 + at * 53 })),
);

/** @param opens whether a key opens what is below a tenant */
const serve =
  (opens: (key: string, tenant: string, below: readonly string[]) => boolean) =>
  ({ path, headers }: Asked): Answer => {
    const key = headers.authorization?.replace('Bearer ', '') ?? '';
    if (!Object.values(tenants).includes(key)) return unauthorized;
    const [, , tenant, ...below] = path.split('/');
    const items = (rows: readonly object[]): Answer => ({ status: 200, body: { items: rows } });
    if (path === '/tenants')
      return items(Object.keys(tenants).flatMap((slug) => (tenants[slug] === key ? [{ slug }] : [])));
    const [kind, project, list, id] = below;
    if (tenant === undefined || kind !== 'projects' || !opens(key, tenant, below)) return notFound;
    const theirs = projects.filter(([of]) => of === tenant);
    if (project === undefined)
      return items(theirs.map(([, slug]) => ({ slug, title: `Project ${slug} of ${tenant}` })));
    const found = tasks.filter((task) => task.tenant === tenant && task.project === project);
    if (list !== 'tasks' || found.length === 0) return notFound;
    const shown = found.map(({ id: number, hours }) => ({ id: number, hours }));
    if (id === undefined) return items(shown);
    const task = shown.find((one) => String(one.id) === id);
    return task ? { status: 200, body: task } : notFound;
  };

const judged = (opens: Parameters<typeof serve>[0]) =>
  withFiles({ 'identities.yaml': identities }, (path) =>
    judgeDocument(document, serve(opens), {
      settings: { ...keys, IDENTITIES: path('identities.yaml') },
      only: ['refuses-missing-key', 'AUTH-5', 'AUTH-6'],
    }),
  );

const own = (key: string, tenant: string): boolean => tenants[tenant] === key;

test('what both have by the same name, each in its own tenant, is kept', async () => {
  const run = await judged(own);
  for (const id of ['projects', 'tasks', 'task']) {
    const { outcome, reason } = run.check(`keeps-items-apart@${id}`);
    expect(outcome, `${id}: ${reason}`).toBe('passed');
  }
});

test('tasks that open to the key of another tenant are failed', inCi, async () => {
  const run = await judged((key, tenant, below) => own(key, tenant) || below.includes('tasks'));
  for (const id of ['tasks', 'task'])
    expect(run.check(`keeps-items-apart@${id}`).outcome, run.check(`keeps-items-apart@${id}`).reason).toBe('failed');
  expect(run.failedClauses).toEqual(['AUTH-6']);
});
