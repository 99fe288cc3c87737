import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf, textIn, whenServed } from './client.js';
import { freePort, fromNpm, start } from './processes.js';
import type { Service } from './service.js';

/** It asks for Node.js 22; the registry has that as a package too. */
const newEnough = Number(process.versions.node.split('.')[0]) >= 22;
const runtime = `node-${process.platform}-${process.arch}`;
const packages = ['homebridge@1.11.4', 'homebridge-config-ui-x@5.10.0', ...(newEnough ? [] : [`${runtime}@22`])];

/** NestJS; Bearer by password; a document that its decorators make. */
export const homebridge: Service = {
  name: 'homebridge',
  from: packages.join(', '),
  install: ({ install }) => fromNpm(install, packages),
  serve: async ({ install, data }, started) => {
    const [port, bridgePort] = [await freePort(), await freePort()];
    const origin = `http://127.0.0.1:${port}`;
    const modules = join(install, 'node_modules');
    const config = {
      bridge: { name: 'Attic', username: '0E:21:35:0A:CC:11', port: bridgePort, pin: '031-45-154', bind: ['lo'] },
      accessories: [],
      platforms: [{ platform: 'config', name: 'Config', port, host: '127.0.0.1', auth: 'form' }],
    };
    writeFileSync(join(data, 'config.json'), JSON.stringify(config));
    const node = newEnough ? process.execPath : join(modules, runtime, 'bin', 'node');
    const where = { cwd: data };
    const words = ['-I', '-U', data, '-P', modules];
    started(start('bridge.log', [node, join(modules, 'homebridge', 'bin', 'homebridge'), ...words], where));
    const page = join(modules, 'homebridge-config-ui-x', 'dist', 'bin', 'standalone.js');
    started(start('run.log', [node, page, ...words], where));
    const document = await whenServed(`${origin}/swagger-json`);
    const password = randomBytes(12).toString('hex');
    const wizard = textIn(await clientOf({ origin }).get('/api/setup-wizard/get-setup-wizard-token'), 'access_token');
    await clientOf({ origin, headers: { Authorization: `Bearer ${wizard}` } }).post(
      '/api/setup-wizard/create-first-user',
      { name: 'Owner', username: 'owner', password, admin: true },
    );
    const login = await clientOf({ origin }).post('/api/auth/login', { username: 'owner', password });
    const key = textIn(login, 'access_token');
    const owner = clientOf({ origin, headers: { Authorization: `Bearer ${key}` } });
    // Saving the configuration keeps a copy of the one before.
    await owner.post('/api/config-editor', config);
    await owner.post('/api/backup', {});
    return { origin, document, keys: { API_KEY: key } };
  },
};
