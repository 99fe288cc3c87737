/**
 * Real services with documents of their own, installed from npm and PyPI, seeded, and judged by the
 * command as a user calls it. Usage: npm run bench:services [-- NAME…]; `SERVICES_DIR` keeps what
 * is installed.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { airflow } from './airflow.js';
import { changedetection } from './changedetection.js';
import { fastapi } from './fastapi.js';
import { figuresOf } from './figures.js';
import { homebridge } from './homebridge.js';
import { judge } from './judge.js';
import { labelStudio } from './label-studio.js';
import { end } from './processes.js';
import type { Service } from './service.js';
import { tlsInFrontOf } from './tls-front.js';

const all: readonly Service[] = [fastapi, homebridge, changedetection, labelStudio, airflow];
const root = resolve(process.env.SERVICES_DIR ?? join(tmpdir(), 'access-conformance-services'));

const measure = async (service: Service): Promise<void> => {
  const [install, data, judged] = ['install', 'data', 'judged'].map((part) => join(root, service.name, part));
  if (!install || !data || !judged) throw new TypeError('three folders were named');
  for (const folder of [data, judged]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [install, data, judged]) mkdirSync(folder, { recursive: true });
  const children: ChildProcess[] = [];
  const endAll = (): void => children.forEach(end);
  process.once('exit', endAll);
  try {
    await service.install({ install, data });
    const seeded = await service.serve({ install, data }, (child) => void children.push(child));
    const front = await tlsInFrontOf(seeded.origin);
    try {
      const told = await judge(judged, seeded, front).then(
        (run) => figuresOf(service.name, run),
        (error: unknown) => `${service.name}: not judged. ${error instanceof Error ? error.message : String(error)}\n`,
      );
      console.log(told);
    } finally {
      front.close();
    }
  } finally {
    process.off('exit', endAll);
    endAll();
  }
};

const named = process.argv.slice(2);
for (const name of named)
  if (!all.some((service) => service.name === name))
    throw new RangeError(`there is no service "${name}"; there are ${all.map((service) => service.name).join(', ')}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
for (const service of all) if (named.length === 0 || named.includes(service.name)) await measure(service);
