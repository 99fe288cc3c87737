import { createDialler, type Dial } from '../wire/connect.js';
import type { WireFailure } from '../wire/failure.js';
import { hasUnknownIssuer, trustAdvice } from '../wire/tls-facts.js';
import type { KeyPageSettings } from './input.js';

type Trusted = Pick<KeyPageSettings, 'ca' | 'clientCert' | 'proxy' | 'resolve'>;

/** Opens connections to the key page as the wire client does to the API. */
export const diallerOf = (
  { ca, clientCert, proxy, resolve = [] }: Trusted,
  insecureTls: boolean,
  timeoutMs: number,
): Dial =>
  createDialler({
    insecureTls,
    timeoutMs,
    hasOwnTimeout: true,
    resolve,
    ...(ca === undefined ? {} : { ca }),
    ...(clientCert === undefined ? {} : { clientCert }),
    ...(proxy === undefined ? {} : { proxy }),
  });

/** Why a connection failed, as the end of a sentence, with advice if a setting helps. */
export const whyNot = ({ code, message, tls }: WireFailure, { ca }: Trusted): string => {
  if (code !== 'certificate' || !tls || !hasUnknownIssuer(tls)) return `(${message}).`;
  const { says, advice } = trustAdvice(tls, ca !== undefined);
  return `over TLS. ${says} ${advice}`;
};
