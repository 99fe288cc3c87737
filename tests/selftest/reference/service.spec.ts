import { faults, startReference } from '../../../src/reference/index.js';
import { withReference } from '../support/reference.js';
import { expect, test } from '../support/test.js';

test('the conforming service opens with its key alone, and redirects plain HTTP', async () => {
  await withReference({}, async ({ service, get, plain }) => {
    const keyed = await get('/api/v2/workout/', { Authorization: `Token ${service.key}` });
    expect(keyed.status).toBe(200);
    expect(JSON.parse(keyed.body)).toMatchObject({ count: 12, previous: null });
    expect(keyed.body).not.toContain(service.key);
    expect((await get('/api/v2/workout/')).status).toBe(401);
    expect((await get('/api/v2/workout/', { Authorization: `token ${service.key}` })).status).toBe(401);
    expect((await get('/api/v2/workout/', { Authorization: `Token  ${service.key}` })).status).toBe(401);
    for (const path of ['/api/v2/exercise/', '/api/v2/ingredient/', '/']) expect((await get(path)).status).toBe(200);
    for (const path of ['/api/v2/workout', '/api/v2//workout/', '/api/v1/workout/', '/nothing'])
      expect((await get(path)).status).toBe(404);
    const head = await get('/api/v2/workout/', { Authorization: `Token ${service.key}` }, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', String(keyed.body.length)]);
    expect((await get('/api/v2/exercise/', {}, 'POST')).status).toBe(405);
    expect((await get('/api/v2/workout/', {}, 'OPTIONS')).status).toBe(204);
    const redirected = await plain('/api/v2/workout/?x=1');
    expect(redirected.status).toBe(308);
    expect(redirected.headers.location).toBe(`${service.baseUrl}/api/v2/workout/?x=1`);
  });
});

test('a name that does not exist is answered with the nearest ones', async () => {
  await expect(startReference({ fault: 'no-key-aksed' })).rejects.toThrow(/no-key-asked/);
  await expect(startReference({ variant: 'nonsense' })).rejects.toThrow(/no variant is named "nonsense"/);
  expect(faults.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['no-key-asked', 'plain-http', 'wants-bearer', 'public-needs-key']),
  );
});
