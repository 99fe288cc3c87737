import { judgeReference } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

/** Several changes go in one request. Each is sent alone only where that makes a difference. */

const bundle = 'a request with fields of gateways, meshes and load balancers';

const asked = async (server: Parameters<typeof judgeReference>[0]) => {
  const run = await judgeReference({ ...server, only: ['refuses-proxy-fields'], exchanges: true });
  const names = new Set(run.exchanges.map(({ probe }) => probe.name));
  const { outcome, reason } = run.check('refuses-proxy-fields');
  return { outcome, reason, alone: names.has('X-Internal: true'), together: names.has(bundle) };
};

test('no field is sent alone where all together change nothing', async () => {
  expect(await asked({})).toMatchObject({ outcome: 'passed', alone: false, together: true });
});

test('a field that opens alone is named, and not the fields that it was sent with', async () => {
  const { outcome, reason } = await asked({ fault: 'x-internal-trusted' });
  expect([outcome, reason]).toEqual(['failed', expect.stringMatching(/^X-Internal: true opens it /)]);
});

test('the fields are named together where none of them opens alone', async () => {
  const found = await asked({ fault: 'internal-user-trusted' });
  expect(found).toMatchObject({ outcome: 'failed', alone: true });
  expect(found.reason).toContain(`${bundle} opens it`);
});

test('fields that are refused together in another way are sent alone', inCi, async () => {
  expect(await asked({ variant: 'refuses-many-fields' })).toMatchObject({ outcome: 'passed', alone: true });
  expect((await asked({ fault: 'x-admin-trusted-among-few-fields' })).reason).toMatch(/^X-Admin: true opens it /);
});
