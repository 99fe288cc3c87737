import type { Command } from '../command.js';
import { help } from './help.js';
import { init } from './init.js';
import { run } from './run.js';
import { serve } from './serve.js';

/** Every command, in the order of help. */
export const commands: readonly Command[] = [run, serve, init, help];
