import { createHmac } from 'node:crypto';
import { type FaultDefinition, withNames } from '../definitions.js';
import type { Call } from '../messages.js';
import { firstField, opensFor, refusingFor } from './invalid-keys.js';

/** User and password, with a colon between them, behind Basic. */
const basicCredentials = (call: Call): string => atob(/^Basic ([\w+/]+=*)$/.exec(firstField(call) ?? '')?.[1] ?? '');

/** Faults of what stands in Authorization with another scheme than Token, or without one. */

export const otherSchemeFaults = withNames<FaultDefinition>({
  'bearer-unchecked': opensFor(
    'Whatever stands behind Bearer opens: another guard was to check it and is not there.',
    (call) => /^Bearer \S/.test(firstField(call) ?? ''),
  ),
  'unsigned-token-accepted': opensFor(
    'A JSON Web Token opens whose header says that it needs no signature.',
    (call) => {
      const [, head = '', , signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(firstField(call) ?? '') ?? [];
      return signature === '' && /"alg":"none"/.test(Buffer.from(head, 'base64url').toString());
    },
  ),
  'unsigned-token-behind-token-accepted': opensFor(
    'A JSON Web Token behind Token opens, whoever has signed it.',
    (call) => /^Token [\w-]+\.[\w-]+\.[\w-]*$/.test(firstField(call) ?? ''),
  ),
  'token-signed-with-nothing-accepted': opensFor(
    'A JSON Web Token opens that is signed with an empty secret: that of the service was never set.',
    (call) => {
      const [, text = '', signature] = /^Bearer ([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(firstField(call) ?? '') ?? [];
      return signature === createHmac('sha256', '').update(text).digest('base64url');
    },
    {
      counterpart: {
        name: 'says-why-a-token-is-refused',
        title: 'Reads JSON Web Tokens too, and says of each that its signature is not one of its own.',
        override: refusingFor(/^Bearer [\w-]+\.[\w-]+\.[\w-]*$/, 'The signature of the token is not known.'),
      },
    },
  ),
  'unsigned-token-in-other-case-accepted': opensFor(
    'A token may not say "none" for its algorithm, and what it says is read in any case.',
    (call) => {
      const [, head = ''] = /^Bearer ([\w-]+)\.[\w-]+\.$/.exec(firstField(call) ?? '') ?? [];
      const [, algorithm] = /"alg":"(\w+)"/.exec(Buffer.from(head, 'base64url').toString()) ?? [];
      return algorithm !== 'none' && algorithm?.toLowerCase() === 'none';
    },
  ),
  'bearer-alone-accepted': opensFor(
    'Bearer with no token behind it opens: the guard of the log-ins finds nothing that it could refuse.',
    (call) => firstField(call) === 'Bearer',
  ),
  'bearer-null-accepted': opensFor(
    'The word null behind Bearer opens: a client that was not logged in once sent it.',
    (call) => firstField(call) === 'Bearer null',
  ),
  'lower-case-scheme-unchecked': opensFor(
    'An older check takes whatever stands behind token, in lower case; the newer one knows Token alone.',
    (call) => /^token \S/.test(firstField(call) ?? ''),
  ),
  'basic-unchecked': opensFor('Whatever stands behind Basic opens: only its form is checked.', (call) =>
    /^Basic \S/.test(firstField(call) ?? ''),
  ),
  'basic-form-checked': opensFor(
    'Any user and password behind Basic open: only that both are there is checked.',
    (call) => /^[^:]+:.+/.test(basicCredentials(call)),
  ),
  'user-without-password-accepted': opensFor(
    'A user without a password opens: the directory takes that for an anonymous log-in and does not refuse it.',
    (call) => /^[^:]+:$/.test(basicCredentials(call)),
  ),
  'unknown-scheme-opens': opensFor(
    'A scheme other than Token makes the check throw, and the gateway lets through what it could not check.',
    (call) => /^(?!Token)[A-Za-z-]+ \S/.test(firstField(call) ?? ''),
  ),
  'bare-value-opens': opensFor(
    'A value without a scheme opens: what stands behind the first space is compared, and there is nothing to compare.',
    (call) => /^[^\s]+$/.test(firstField(call) ?? '') && firstField(call) !== 'Token',
  ),
});
