import type { TestServerDefinition } from '../test-server.js';
import { contentAttacks } from './contents.js';
import { floods } from './floods.js';
import { framingAttacks } from './framing.js';
import { handshakeAttacks } from './handshake.js';
import { redirectAttacks } from './redirects.js';

/** Servers that attack their client. They may cost it a bounded time, and nothing else. */
export const hostileDefinitions: readonly TestServerDefinition[] = [
  ...floods,
  ...framingAttacks,
  ...contentAttacks,
  ...redirectAttacks,
  ...handshakeAttacks,
];
