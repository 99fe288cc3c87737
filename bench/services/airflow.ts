import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, clientOf, textIn, whenServed } from './client.js';
import { freePort, fromPyPI, run, start } from './processes.js';
import type { Service } from './service.js';

const packages = ['apache-airflow==3.3.2'];

/** Of the examples that it ships: one passes values on, one produces an asset. */
const workflows = ['example_xcom', 'example_bash_operator', 'asset_produces_1'];

const seed = async ({ post }: Client): Promise<void> => {
  for (const [index, host] of ['warehouse', 'ledger'].entries()) {
    await post('/api/v2/connections', {
      connection_id: `${host}-db`,
      conn_type: 'http',
      host: `${host}.example.com`,
      login: 'etl',
    });
    await post('/api/v2/variables', { key: `${host}_region`, value: `north-${index}`, description: 'where it runs' });
    await post('/api/v2/pools', { name: `${host}_pool`, slots: 4 + index, description: 'for nightly loads' });
  }
  await post('/api/v2/assets/events', { asset_id: 1, extra: { rows: 4182 } });
  await post('/api/v2/backfills', {
    dag_id: 'tutorial',
    from_date: '2026-01-01T00:00:00Z',
    to_date: '2026-01-02T00:00:00Z',
  });
};

/** FastAPI; Bearer by password, and twice in the document; paths four parameters deep. */
export const airflow: Service = {
  name: 'airflow',
  from: packages.join(', '),
  install: ({ install }) => fromPyPI(install, packages),
  serve: async ({ install, data }, started) => {
    const command = join(install, 'venv', 'bin', 'airflow');
    const where = {
      cwd: data,
      env: {
        PATH: `${join(install, 'venv', 'bin')}:${process.env.PATH ?? ''}`,
        AIRFLOW_HOME: data,
        AIRFLOW__CORE__LOAD_EXAMPLES: 'true',
        AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS: 'owner:admin',
      },
    };
    await run('seed.log', [command, 'db', 'migrate'], where);
    await run('seed.log', [command, 'dags', 'reserialize'], where);
    for (const workflow of workflows) await run('seed.log', [command, 'dags', 'test', workflow], where);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    started(
      start('run.log', [command, 'api-server', '--host', '127.0.0.1', '--port', String(port), '--workers', '1'], where),
    );
    const document = await whenServed(`${origin}/openapi.json`);
    const passwords: unknown = JSON.parse(
      readFileSync(join(data, 'simple_auth_manager_passwords.json.generated'), 'utf8'),
    );
    const login = { username: 'owner', password: textIn(passwords, 'owner') };
    const key = textIn(await clientOf({ origin }).post('/auth/token', login), 'access_token');
    await seed(clientOf({ origin, headers: { Authorization: `Bearer ${key}` } }));
    return { origin, document, keys: { API_KEY_OAUTH2PASSWORDBEARER: key, API_KEY_HTTPBEARER: key } };
  },
};
