import { randomBytes } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenServed } from './client.js';
import { freePort, fromPyPI, start } from './processes.js';
import type { Service } from './service.js';

const packages = ['fastapi==0.136.3', 'uvicorn==0.40.0'];

/** Seen from `.bench/bench/services/`, where this file is compiled to. */
const application = fileURLToPath(new URL('../../../bench/services/fastapi_app.py', import.meta.url));

/** Two of its three protected operations are open to everybody. */
export const fastapi: Service = {
  name: 'fastapi',
  from: packages.join(', '),
  install: ({ install }) => fromPyPI(install, packages),
  serve: async ({ install, data }, started) => {
    const key = randomBytes(20).toString('hex');
    copyFileSync(application, join(data, 'app.py'));
    writeFileSync(join(data, 'key.py'), `KEY = "${key}"\n`);
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const uvicorn = join(install, 'venv', 'bin', 'uvicorn');
    started(
      start('run.log', [uvicorn, 'app:app', '--host', '127.0.0.1', '--port', String(port), '--no-access-log'], {
        cwd: data,
      }),
    );
    return { origin, document: await whenServed(`${origin}/openapi.json`), keys: { API_KEY: key } };
  },
};
