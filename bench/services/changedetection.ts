import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { clientOf, textIn, whenServed } from './client.js';
import { freePort, fromPyPI, start } from './processes.js';
import type { Service } from './service.js';

const packages = ['changedetection.io==0.60.10'];

/** A page with another text on each read, for the service to watch. */
const changingPage = async (): Promise<string> => {
  let reads = 0;
  const server = createServer((_request, response) => {
    reads += 1;
    response
      .setHeader('Content-Type', 'text/html')
      .end(`<html><title>Tides</title><p>High water at mark ${reads}</p></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tides`;
};

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The key that the service made at its first start. */
const keyIn = (data: string): string => {
  const { settings } = JSON.parse(readFileSync(join(data, 'store', 'changedetection.json'), 'utf8'));
  return textIn(settings.application, 'api_access_token');
};

/** Flask; `x-api-key`; a document written by hand. */
export const changedetection: Service = {
  name: 'changedetection',
  from: packages.join(', '),
  install: ({ install }) => fromPyPI(install, packages),
  serve: async ({ install, data }, started) => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const command = join(install, 'venv', 'bin', 'changedetection.io');
    started(
      start('run.log', [command, '-C', '-d', join(data, 'store'), '-h', '127.0.0.1', '-p', String(port)], {
        cwd: data,
        env: { ALLOW_IANA_RESTRICTED_ADDRESSES: 'true', DISABLE_VERSION_CHECK: 'true' },
      }),
    );
    const document = await whenServed(`${origin}/api/v1/full-spec`);
    const key = keyIn(data);
    const { get, post } = clientOf({ origin, headers: { 'x-api-key': key } });
    const page = await changingPage();
    await post('/api/v1/tag', { title: 'Harbour' });
    for (const title of ['Tides', 'Tides of the other pier']) {
      const watch = textIn(await post('/api/v1/watch', { url: `${page}?${title.length}`, title }), 'uuid');
      for (let check = 0; check < 2; check += 1) {
        await pause(4_000);
        await get(`/api/v1/watch/${watch}?recheck=1`);
      }
    }
    await post('/api/v1/notifications', { notification_urls: ['json://127.0.0.1:9/'] });
    await pause(4_000);
    return { origin, basePath: '/api/v1', document, keys: { API_KEY: key } };
  },
};
