/**
 * Runs every measurement in turn, or those that are named: `npm run bench -- throughput shipped`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { scriptPath } from './processes.js';

const all = ['load', 'throughput', 'shipped', 'spread', 'peers', 'front-end', 'memory', 'page'];
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : all) {
  if (!existsSync(scriptPath(name))) {
    console.error(`there is no measurement "${name}"; there are ${all.join(', ')}`);
    process.exitCode = 3;
    continue;
  }
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, [scriptPath(name)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
