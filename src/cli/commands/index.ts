import type { Command } from '../command.js';
import { baseline } from './baseline.js';
import { compare } from './compare.js';
import { doctor } from './doctor.js';
import { explain } from './explain.js';
import { helpOn } from './help.js';
import { init } from './init.js';
import { judge } from './judge.js';
import { list } from './list.js';
import { merge } from './merge.js';
import { plan } from './plan.js';
import { propose } from './propose.js';
import { run } from './run.js';
import { serve } from './serve.js';

/** Every command, in the order of help. */
export const commands: readonly Command[] = [
  run,
  doctor,
  plan,
  list,
  explain,
  judge,
  baseline,
  propose,
  compare,
  merge,
  serve,
  init,
  helpOn(() => commands),
];
