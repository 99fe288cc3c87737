import { documentedBody } from './documented-body.js';
import { documentedRefusal } from './documented-refusal.js';
import { documentedStatus } from './documented-status.js';
import { keepsItemsApart } from './keeps-items-apart.js';
import { keepsListsApart } from './keeps-lists-apart.js';
import { makesAKey } from './makes-a-key.js';
import { needsNoOtherVersion } from './needs-no-other-version.js';
import { observesBadKey } from './observes-bad-key.js';
import { observesKeyLife } from './observes-key-life.js';
import { observesLimits } from './observes-limits.js';
import { observesMethods } from './observes-methods.js';
import { observesNeighbours } from './observes-neighbours.js';
import { observesOwnership } from './observes-ownership.js';
import { observesPlainHttp } from './observes-plain-http.js';
import { observesPublicPath } from './observes-public-path.js';
import { observesRefusals } from './observes-refusals.js';
import { observesRepresentation } from './observes-representation.js';
import { observesSessions } from './observes-sessions.js';
import { opensToStatedScopes } from './opens-to-stated-scopes.js';
import { opensWithoutCredentials } from './opens-without-credentials.js';
import { readsWithGet } from './reads-with-get.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { refusesMissingKey } from './refuses-missing-key.js';
import { refusesOtherScopes } from './refuses-other-scopes.js';
import { refusesOtherSpellings } from './refuses-other-spellings.js';
import { refusesPlainHttp } from './refuses-plain-http.js';
import { refusesPlainHttpBehindProxyFields } from './refuses-plain-http-behind-proxy-fields.js';
import { refusesPlainHttpOnTlsPort } from './refuses-plain-http-on-tls-port.js';
import { refusesProxyFields } from './refuses-proxy-fields.js';
import { refusesWorthlessKeys } from './refuses-worthless-keys.js';
import type { Rule } from './rule.js';
import { saysWhenThereIsNone } from './says-when-there-is-none.js';
import { servesDocumentedPath } from './serves-documented-path.js';
import { servesHttps } from './serves-https.js';
import { showsTheCurrentKey } from './shows-the-current-key.js';
import { takesDocumentedFormat } from './takes-documented-format.js';
import { takesKeyNowhereElse } from './takes-key-nowhere-else.js';
import { takesKeyWhereDocumented } from './takes-key-where-documented.js';
import { takesNoOtherFormat } from './takes-no-other-format.js';

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
  opensToStatedScopes,
  refusesOtherScopes,
  keepsListsApart,
  keepsItemsApart,
  documentedStatus,
  documentedBody,
  documentedRefusal,
  makesAKey,
  showsTheCurrentKey,
  saysWhenThereIsNone,
  observesRefusals,
  observesPlainHttp,
  observesBadKey,
  observesNeighbours,
  observesMethods,
  observesLimits,
  observesRepresentation,
  observesSessions,
  observesPublicPath,
  observesKeyLife,
  observesOwnership,
];
