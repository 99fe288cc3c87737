import { documentedBody, documentedRefusal, documentedStatus } from './documented-answers.js';
import { needsNoOtherVersion, readsWithGet, servesDocumentedPath } from './documented-path.js';
import { keepsItemsApart } from './keeps-items-apart.js';
import { keepsListsApart } from './keeps-lists-apart.js';
import {
  takesDocumentedFormat,
  takesKeyNowhereElse,
  takesKeyWhereDocumented,
  takesNoOtherFormat,
} from './key-placement.js';
import { makesAKey } from './makes-a-key.js';
import { observesLimits, observesMethods, observesRepresentation } from './observes-answers.js';
import { observesBadKey, observesPlainHttp, observesRefusals, observesSessions } from './observes-errors.js';
import { observesKeyLife, observesOwnership } from './observes-keys.js';
import { observesNeighbours, observesPublicPath } from './observes-paths.js';
import { opensToStatedScopes } from './opens-to-stated-scopes.js';
import { opensWithoutCredentials } from './opens-without-credentials.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { refusesMissingKey } from './refuses-missing-key.js';
import { refusesOtherScopes } from './refuses-other-scopes.js';
import { refusesOtherSpellings } from './refuses-other-spellings.js';
import {
  refusesPlainHttp,
  refusesPlainHttpBehindProxyFields,
  refusesPlainHttpOnTlsPort,
} from './refuses-plain-http.js';
import { refusesProxyFields } from './refuses-proxy-fields.js';
import { refusesWorthlessKeys } from './refuses-worthless-keys.js';
import type { Explanation, Rule } from './rule.js';
import { saysWhenThereIsNone } from './says-when-there-is-none.js';
import { servesHttps } from './serves-https.js';
import { showsTheCurrentKey } from './shows-the-current-key.js';

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

export const explanationsOf = (rules: readonly Rule[]): ReadonlyMap<string, Explanation> =>
  new Map(rules.map(({ id, explanation }) => [id, explanation]));

export const explanations = explanationsOf(rules);

export const explain = (ruleId: string): Explanation | undefined => explanations.get(ruleId);
