import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { asset } from '../../../src/package.js';
import { type RolesOptions, rolesFaults, rolesVariants, startRoles } from '../../../src/reference/index.js';
import { places } from '../../../src/reference/roles/behaviour.js';
import { type Get, type RawAnswer, withService } from '../support/reference.js';
import { expect, inCi, test } from '../support/test.js';

/**
 * The second embedded service, asked without the suite: it keeps its document, and each fault
 * breaks one thing.
 */

interface Granted {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Asking {
  readonly get: Get;
  /** Asks with the credentials of one identity. */
  as(who: string, path: string, method?: string, fields?: Readonly<Record<string, string>>): Promise<RawAnswer>;
  /** Ids of the workouts in the list of one. */
  ids(who: string): Promise<readonly string[]>;
  /** Asks the token endpoint, by client credentials when nothing else is said. */
  token(form?: Readonly<Record<string, string>>, fields?: Readonly<Record<string, string>>): Promise<Granted>;
}

const list = '/api/v2/workout/';
const reports = '/api/v2/report/';
const catalogue = '/api/v2/exercise/';
const measurements = '/api/v2/measurement/';
const goalsOf = (member: string): string => `/api/v2/member/${member}/goal/`;

const withRoles = async <T>(options: RolesOptions, use: (asking: Asking) => Promise<T>): Promise<T> => {
  const { service, variables } = await startRoles(options);
  return withService(service, async ({ get }) => {
    const { ROBOT_ID = '', ROBOT_SECRET = '' } = variables;
    const token: Asking['token'] = (form = {}, fields = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(`${service.baseUrl}/oauth/token`, { method: 'POST', ca: service.ca, headers: fields });
        sent.on('error', reject);
        sent.on('response', async (response) =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) }),
        );
        const client = 'Authorization' in fields ? {} : { client_id: ROBOT_ID, client_secret: ROBOT_SECRET };
        sent.end(new URLSearchParams({ grant_type: 'client_credentials', ...client, ...form }).toString());
      });
    const fieldsOf = async (who: string): Promise<Readonly<Record<string, string>>> => {
      if (who === 'nobody') return {};
      if (who === 'robot') return { Authorization: `Bearer ${(await token()).body.access_token}` };
      if (who.endsWith(' token')) return { Authorization: `Bearer ${variables[who.toUpperCase().replace(' ', '_')]}` };
      const [name = '', without] = who.toUpperCase().split(' ');
      const device = variables[`${name}_DEVICE_KEY`];
      return {
        Authorization: `Token ${variables[`${name}_KEY`]}`,
        ...(device === undefined || without ? {} : { 'X-Device-Key': device }),
      };
    };
    const as: Asking['as'] = async (who, path, method, fields) =>
      get(path, { ...(await fieldsOf(who)), ...fields }, method);
    return use({
      get,
      as,
      token,
      ids: async (who) => JSON.parse((await as(who, list)).body).results.map(({ id }: { id: string }) => id),
    });
  });
};

/** Who opens which list of the conforming service. */
const opens: Readonly<Record<string, readonly string[]>> = {
  mara: [list, catalogue, measurements],
  tomas: [list, catalogue, measurements],
  ilse: [list, catalogue, reports],
  guest: [catalogue],
  robot: [reports],
  'mara nodevice': [list, catalogue],
  'expired token': [],
  'foreign token': [],
  nobody: [],
};

test('the document and the service name the same operations and the same sets of roles and scopes', () => {
  const { paths } = parse(readFileSync(asset('openapi', 'accounts-and-roles.yaml'), 'utf8'));
  const documented = Object.entries<{ get: { security: readonly object[] } }>(paths).map(([path, { get }]) => ({
    path,
    opens: get.security,
  }));
  const served = Object.values(places).map(({ path, opens: sets }) => ({
    path,
    opens: sets.map(({ scheme, needs, device }) => ({ [scheme]: needs, ...(device ? { device: [] } : {}) })),
  }));
  expect(served).toEqual(expect.arrayContaining(documented));
  expect(documented).toHaveLength(served.length);
});

test('the conforming service opens to who holds a stated set, and to no other', async () => {
  await withRoles({}, async ({ as }) => {
    for (const [who, open] of Object.entries(opens))
      for (const path of [list, catalogue, measurements, reports]) {
        const { status, body } = await as(who, path);
        const lacksKey = /token|nobody/.test(who) || (path === measurements && !/mara$|tomas/.test(who));
        const refusal = lacksKey ? 401 : 403;
        expect({ who, path, status }).toEqual({ who, path, status: open.includes(path) ? 200 : refusal });
        expect(body.includes('"results":[{')).toBe(status === 200);
        expect((await as(who, path, 'HEAD')).status).toBe(status);
      }
    for (const who of ['nobody', 'guest']) expect((await as(who, '/api/v2/ingredient/')).status).toBe(200);
  });
});

test('a workout opens to its owner alone, by its id as the list writes it', async () => {
  await withRoles({}, async ({ as, ids }) => {
    const [own = ''] = await ids('mara');
    const others = await ids('tomas');
    expect(await ids('mara')).not.toEqual(expect.arrayContaining([...others]));
    expect(own).toMatch(/[a-f]/);
    const { status, body } = await as('mara', `${list}${own}/`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ id: own, owner: 'mara' });
    for (const [who, id, refused] of [
      ['tomas', own, 404],
      ['tomas', own.toUpperCase(), 404],
      ['mara', own.toUpperCase(), 404],
      ['mara', others[0], 404],
      ['guest', own, 403],
      ['nobody', own, 401],
    ] as const)
      expect((await as(who, `${list}${id}/`)).status, `${who} ${id}`).toBe(refused);
  });
});

test('the token endpoint grants by client credentials, and says in the words of RFC 6749 why not', inCi, async () => {
  await withRoles({ tokenLifeMs: 2_000 }, async ({ get, as, token }) => {
    const { status, body } = await token();
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 2, scope: 'read:reports' });
    const ask = async () => (await get(reports, { Authorization: `Bearer ${body.access_token}` })).status;
    expect(await ask()).toBe(200);
    await expect.poll(ask).toBe(401);
    expect((await as('robot', reports)).status).toBe(200);
    const basic = (pair: string) => ({ Authorization: `Basic ${btoa(pair)}` });
    expect(await token({}, basic('report-robot:wrong'))).toEqual({ status: 401, body: { error: 'invalid_client' } });
    expect((await token({ scope: 'read:workouts' })).body).toEqual({ error: 'invalid_scope' });
    expect((await token({ grant_type: 'password' })).body).toEqual({ error: 'unsupported_grant_type' });
    expect((await get('/oauth/token')).status).toBe(405);
  });
});

/** Of each fault the one request that shows it: who asks, for what, by which method. */
const shows: Readonly<Record<string, (asking: Asking) => Promise<RawAnswer>>> = {
  'proxy-user-trusted': ({ as }) => as('nobody', list, 'GET', { 'X-Forwarded-User': 'mara' }),
  'scope-not-checked': ({ as }) => as('mara', reports),
  'scope-checked-on-lists-alone': async ({ as, ids }) => as('guest', `${list}${(await ids('mara'))[0]}/`),
  'any-scope-suffices': ({ as }) => as('mara', reports),
  'token-scope-not-checked': ({ as }) => as('robot', catalogue),
  'device-key-not-asked': ({ as }) => as('ilse', measurements),
  'head-ignores-scope': ({ as }) => as('mara', reports, 'HEAD'),
  'role-in-a-field-trusted': ({ as }) => as('mara', reports, 'GET', { 'X-User-Role': 'member,auditor' }),
  'expired-token-opens': ({ as }) => as('expired token', reports),
  'foreign-token-opens': ({ as }) => as('foreign token', reports),
  'peers-item-opens': async ({ as, ids }) => as('tomas', `${list}${(await ids('mara'))[0]}/`),
  'peers-item-opens-by-upper-case-id': async ({ as, ids }) =>
    as('tomas', `${list}${(await ids('mara'))[0]?.toUpperCase()}/`),
  'peers-item-opens-by-owner-in-query': async ({ as, ids }) =>
    as('tomas', `${list}${(await ids('mara'))[0]}/?user_id=mara`),
  'peers-rows-by-account-in-path': async ({ as }) => as('tomas', goalsOf('mara')),
  'head-opens-peers-item': async ({ as, ids }) => as('tomas', `${list}${(await ids('mara'))[0]}/`, 'HEAD'),
};

for (const { name, title } of rolesFaults)
  test(`fault ${name}: ${title}`, async () => {
    const shown = shows[name];
    if (shown) {
      await withRoles({}, async (asking) => expect((await shown(asking)).status).toBeGreaterThan(400));
      await withRoles({ fault: name }, async (asking) => expect((await shown(asking)).status).toBe(200));
      return;
    }
    await withRoles({ fault: name }, async ({ as, ids }) => {
      if (name === 'peers-rows-in-list') expect(await ids('mara')).toEqual(await ids('tomas'));
      else if (name === 'peers-rows-by-owner-in-query')
        expect((await as('tomas', `${list}?owner=mara`)).body).toContain('"owner":"mara"');
      else if (name === 'peers-rows-by-tenant-field')
        expect((await as('tomas', list, 'GET', { 'X-Tenant-Id': 'mara' })).body).toContain('"owner":"mara"');
      else if (name === 'peers-rows-in-rows')
        expect((await as('mara', list)).body).toContain((await ids('tomas'))[0] ?? 'an id');
      else {
        expect(name).toBe('last-role-counts-alone');
        expect((await as('ilse', list)).status).toBe(403);
        expect((await as('mara', list)).status).toBe(200);
      }
    });
  });

for (const { name, title } of rolesVariants)
  test(`variant ${name}: ${title}`, async () => {
    await withRoles({ variant: name }, async ({ as, ids }) => {
      const [own = ''] = (await ids('mara')).slice(-1);
      for (const [who, path] of [
        ['mara', list],
        ['mara', `${list}${own}/`],
        ['guest', catalogue],
        ['robot', reports],
        ['ilse', reports],
      ] as const)
        expect((await as(who, path)).body, `${who} ${path}`).toMatch(/"results":\[\{|"minutes"/);
      for (const [who, path] of [
        ['guest', list],
        ['mara', reports],
        ['ilse', measurements],
        ['nobody', list],
      ] as const)
        expect((await as(who, path)).body, `${who} ${path}`).not.toMatch(/"results":\[\{|"minutes"/);
      expect((await as('tomas', `${list}${own}/`)).body).not.toContain('"owner":"mara"');
    });
  });

test('names are unique', () => {
  const names = [...rolesFaults, ...rolesVariants].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
