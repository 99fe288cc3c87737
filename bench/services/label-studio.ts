import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, clientOf, textIn, whenServed } from './client.js';
import { freePort, fromPyPI, start } from './processes.js';
import type { Service } from './service.js';

const packages = ['label-studio==1.23.2'];

const labelConfig =
  '<View><Text name="text" value="$text"/><Choices name="kind" toName="text"><Choice value="Owl"/><Choice value="Wren"/></Choices></View>';

const choice = (value: string) => [
  { from_name: 'kind', to_name: 'text', type: 'choices', value: { choices: [value] } },
];

const seed = async ({ post }: Client, media: string): Promise<void> => {
  for (const [title, texts] of [
    ['Birds of the garden', ['A wren sang in the hedge', 'An owl flew over the barn', 'Something rustled']],
    ['Birds of the coast', ['Two gulls on the pier', 'A tern dived']],
  ] as const) {
    const project = Number(textIn(await post('/api/projects/', { title, label_config: labelConfig }), 'id'));
    await post(
      `/api/projects/${project}/import`,
      texts.map((text) => ({ text })),
    );
    await post('/api/dm/views/', { project, data: { title: `All of ${title}` } });
    await post('/api/webhooks/', { project, url: 'http://127.0.0.1:9/hook' });
    await post(`/api/projects/${project}/exports/`, { title: `${title}, first export` });
    await post('/api/storages/localfiles/', { project, path: media, title: `${title} on disk` });
  }
  for (const task of [1, 2, 4]) {
    await post(`/api/tasks/${task}/annotations/`, { result: choice('Wren') });
    await post('/api/predictions/', { task, model_version: 'v1', result: choice('Owl') });
  }
};

/** Django REST framework; `Authorization: Token`; a document of drf-spectacular. */
export const labelStudio: Service = {
  name: 'label-studio',
  from: packages.join(', '),
  install: ({ install }) => fromPyPI(install, packages),
  serve: async ({ install, data }, started) => {
    const key = randomBytes(20).toString('hex');
    const media = join(data, 'media', 'scans');
    mkdirSync(media, { recursive: true });
    writeFileSync(join(media, 'note.txt'), 'A heron stood in the reeds\n');
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const words = [
      '--username',
      'owner@example.com',
      '--password',
      randomBytes(12).toString('hex'),
      '--user-token',
      key,
    ];
    started(
      start(
        'run.log',
        [join(install, 'venv', 'bin', 'label-studio'), 'start', 'Birds of the marsh', '--init', ...words].concat([
          '--port',
          String(port),
          '--internal-host',
          '127.0.0.1',
          '--no-browser',
        ]),
        {
          cwd: data,
          env: {
            LABEL_STUDIO_BASE_DATA_DIR: join(data, 'store'),
            LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN: 'true',
            LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED: 'true',
            LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT: join(data, 'media'),
            COLLECT_ANALYTICS: 'false',
            LATEST_VERSION_CHECK: 'false',
            SSRF_PROTECTION_ENABLED: 'false',
          },
        },
      ),
    );
    const document = await whenServed(`${origin}/docs/api/schema/json/`);
    await seed(clientOf({ origin, headers: { Authorization: `Token ${key}` } }), media);
    return { origin, document, keys: { API_KEY: key } };
  },
};
