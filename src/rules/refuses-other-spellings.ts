import { type Bypass, onlyOwnersData, refusedAtError } from './bypass/bypass.js';
import { judgedAsBypass, noneOpens, tricksIn, waysIn } from './bypass/bypass-rule.js';
import { controlsFor, isJudged } from './bypass/judge-bypasses.js';
import { overHttp10, urlOfAnotherHost } from './bypass/other-hosts.js';
import {
  headBypass,
  headTrick,
  optionsBypass,
  optionsGroup,
  optionsTrick,
  preflightBypass,
  preflightTrick,
} from './bypass/other-methods.js';
import { spellingsOf } from './bypass/path-spellings.js';
import { isOtherOperation, neighbouringPaths } from './documented-request/request-variants.js';
import { answerOf, isSuccess } from './oracle/answers.js';
import { publicOperations } from './oracle/control-requests.js';
import { refusesLeftovers } from './refuses-leftovers.js';
import { type Ask, defineRule, type OperationSubject } from './rule.js';
import { trickOf } from './support/bundles.js';
import { whereBypassOpens } from './support/headlines.js';
import { missingOf, overHttp2, requestWithoutKey } from './support/requests.js';
import { protectedWhenExtended } from './support/subjects.js';
import { missingTarget, targetOf } from './support/targets.js';

/** AUTH-3: nothing opens without a key at another spelling of its path. */

const otherSpellings = (subject: OperationSubject): readonly Bypass[] => {
  const target = targetOf(subject);
  const missing = missingTarget(subject, target);
  const open = publicOperations(subject).map((operation) => targetOf({ ...subject, operation }));
  return spellingsOf(target, subject.deployment, open).map(({ spell, leadsElsewhere, ...names }) => ({
    ...names,
    ...(leadsElsewhere ? { readWith: onlyOwnersData } : {}),
    probe: requestWithoutKey(subject, { name: names.words, target: spell(target) }),
    missing: () => requestWithoutKey(subject, { name: `${names.words}, where nothing is`, target: spell(missing) }),
  }));
};

const readOverHttp2 = (subject: OperationSubject): Bypass => {
  const probe = overHttp2(subject);
  return {
    words: 'a read over HTTP/2',
    how: 'over HTTP/2',
    probe,
    missing: () => missingOf(subject, probe),
    readWith: refusedAtError('no-h2', 'no HTTP/2'),
  };
};

const spellings = (subject: OperationSubject): readonly Bypass[] => [
  ...otherSpellings(subject),
  urlOfAnotherHost(subject),
  ...(subject.operation.method === 'GET'
    ? [headBypass(subject), optionsBypass(subject), preflightBypass(subject)]
    : []),
  readOverHttp2(subject),
  overHttp10(subject),
];

/** The name in the battery of requests to neighbouring paths. */
export const neighbourTrick = 'a neighbour that the key opens';

/**
 * Neighbouring paths that open with the key, such as another version, asked without it. The
 * contract says nothing about what is there, so only what the key gets at the documented path
 * counts.
 */
const openNeighbours = (
  ask: Ask,
  subject: OperationSubject,
  isChosen: (trick: string) => boolean,
  others: readonly Bypass[],
): readonly Bypass[] => {
  if (!isChosen(neighbourTrick)) return [];
  const spelled = new Set(others.map(({ probe }) => probe.target));
  const ways = neighbouringPaths(subject).filter(
    ({ target }) => !spelled.has(target) && !isOtherOperation(target, subject),
  );
  const own = others.filter((bypass) => isChosen(trickOf(bypass)));
  // Sent together with the keyed requests, to save time.
  const beside = isJudged(controlsFor(ask, subject, own)) ? [] : own.map(({ probe }) => probe);
  ask.all([...ways.map(({ probe }) => probe('valid')), ...beside]);
  return ways
    .filter(({ probe }) => isSuccess(answerOf(ask(probe('valid')))))
    .map(({ words, probe }) => ({
      words,
      how: `at ${words}`,
      trick: neighbourTrick,
      probe: probe('none'),
      readWith: onlyOwnersData,
    }));
};

/** AUTH-3: a protected resource does not open without the key, however its path is spelled. */
export const refusesOtherSpellings = defineRule({
  scope: 'operation',
  id: 'refuses-other-spellings',
  clauses: ['AUTH-3'],
  title: 'refuses a request without a key however its path is spelled',
  headline: whereBypassOpens('bypassed'),
  stage: 'bypasses',
  appliesTo: protectedWhenExtended('other spellings of the path'),
  battery: {
    tricks: tricksIn(spellings, [neighbourTrick]),
    // Handlers of HEAD are registered for single routes; spellings are often those of a gateway.
    everywhere: [headTrick],
    least: 1,
    ways: waysIn(spellings),
    groups: new Map([optionsTrick, preflightTrick].map((trick) => [trick, optionsGroup])),
  },
  procedure: noneOpens({ bypasses: spellings, asAnswered: openNeighbours, leftovers: refusesLeftovers }),
  explanation: {
    asks: 'However its path is spelled, a protected resource is not given without the key.',
    sends: [
      'Without a key, at each place of the path where they can stand: //, /./, /x/../, ..;, ;x, an encoded letter or slash (once and twice) and upper case; once, backslashes, no slash, and a letter in its full-width form or in overlong UTF-8.',
      'At the end of the path: dots, blanks, line ends and null bytes, and what makes it look like a file (.json, ;x.css, /index.php). In the query: nothing, formats, callbacks and public paths; the base path with the path in the query (?rest_route=, ?url=).',
      'Out of a public path, and of folders that are often open (/static/../), in several encodings; with a public path behind the own one; and the absolute form of the request target, with the own host and with a name of the machine itself.',
      'Where another version of the path, the path without a version or the name in the plural answers the key with a success: the same without the key. Documented operations are left out.',
      'HEAD (and GET without a content coding, where HEAD opens it), OPTIONS and a CORS preflight, one read over HTTP/2 where the server offers it, and one over HTTP/1.0 without a host name.',
      'Each that seems to open something also on a path that does not exist. access-conformance plan prints all of them.',
    ],
    judged: [
      ...judgedAsBypass,
      'HEAD has no body: it is compared by Content-Type and Content-Length or ETag with a HEAD with the key. A success where GET is refused by status or by a closed connection is inconclusive without these fields, and an opening where a field has the number of the rows that the key gets. A length of 0 is a refusal, and a record of the owner in its fields an opening.',
      'At another version or name, at the base path, and with a public path behind the own one, only what the key gets at the documented path counts: the contract leaves open what is there.',
      'An answer to OPTIONS that holds nothing, describes the resource, or is the same elsewhere opens nothing.',
    ],
    causes: [
      'A proxy or middleware guards paths by comparing strings, and the application normalises the path afterwards.',
      'It lets through what contains the name of something public, or ends like a static file, and looks at the whole target: ?x=/api/v2/exercise/ is in it too.',
      'An export (CSV, XML, a script for a callback) is other code than the list, and was never given its guard.',
      'The guard sits on the path of a folder or of a page, and the file or the script behind it is served under its own name too, or takes the path from the query.',
      'An old version is still served, and its guard was taken away or never written.',
      'The guard sits on the route with the slash alone, or on GET alone while HEAD or OPTIONS is served by the same code.',
      'HTTP/2, or HTTP/1.0 for health checks, reaches another virtual host or listener than HTTP/1.1.',
    ],
    fixes: [
      'Guard the handler, not the path: let authentication be part of the route.',
      'Where a gateway must decide, let it normalise the path first, refuse what it had to change, and forward the normalised form.',
    ],
  },
});
