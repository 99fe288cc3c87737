import type { GuestPlan } from '../guest.js';
import { poisoned } from './content.js';
import { floods } from './floods.js';
import { misframed } from './framing.js';
import { unfriendly } from './handshake.js';
import { misleading } from './redirects.js';

/** Servers that mean harm. They may cost a client a bounded time, and nothing else. */
export const hostilePlans: readonly GuestPlan[] = [...floods, ...misframed, ...poisoned, ...misleading, ...unfriendly];
