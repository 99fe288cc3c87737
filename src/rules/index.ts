import { documentedBody, documentedStatus } from './documented.js';
import { servesHttps } from './https.js';
import {
  needsNoOtherVersion,
  readsWithGet,
  servesDocumentedPath,
  takesDocumentedFormat,
  takesKeyWhereDocumented,
} from './keys-own-way.js';
import {
  observesBadKey,
  observesLimits,
  observesNeighbours,
  observesPlainHttp,
  observesPublicPath,
  observesRefusals,
  observesRepresentation,
  observesSessions,
} from './observations.js';
import { takesKeyNowhereElse, takesNoOtherFormat } from './other-shapes.js';
import { refusesPlainHttp, refusesPlainHttpBehindProxyFields, refusesPlainHttpOnTlsPort } from './plain-http.js';
import { opensWithoutCredentials } from './public.js';
import type { Rule } from './rule.js';
import {
  refusesLeftovers,
  refusesMissingKey,
  refusesOtherSpellings,
  refusesProxyFields,
  refusesWorthlessKeys,
} from './without-key.js';

/** Every rule, in the order of the contract's clauses. */
export const rules: readonly Rule[] = [
  servesHttps,
  refusesPlainHttp,
  refusesPlainHttpBehindProxyFields,
  refusesPlainHttpOnTlsPort,
  servesDocumentedPath,
  needsNoOtherVersion,
  readsWithGet,
  takesKeyWhereDocumented,
  takesKeyNowhereElse,
  takesDocumentedFormat,
  takesNoOtherFormat,
  refusesMissingKey,
  refusesWorthlessKeys,
  refusesOtherSpellings,
  refusesProxyFields,
  refusesLeftovers,
  opensWithoutCredentials,
  documentedStatus,
  documentedBody,
  observesRefusals,
  observesPlainHttp,
  observesBadKey,
  observesNeighbours,
  observesLimits,
  observesRepresentation,
  observesSessions,
  observesPublicPath,
];
