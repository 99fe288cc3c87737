import type { Exchange, Response } from '../../wire/types.js';
import { because, type Cause } from '../causes.js';
import { asksForTheKey } from '../judgement.js';
import { answerOf, header, isRedirect, isSuccess, isUnavailable } from '../oracle/answers.js';
import {
  type Controls,
  controlsOf,
  isOfOneForm,
  isUsable,
  keyedControl,
  type Unusable,
  type UsableControls,
  usable,
} from '../oracle/controls.js';
import { keyedOf } from '../oracle/keyed.js';
import { isSame, sharedWithKeyed } from '../oracle/same.js';
import { fits } from '../oracle/view.js';
import {
  filledParameters,
  keyAvailable,
  keyConfined,
  missingOf,
  requestFor,
  splitTarget,
  targetOf,
} from '../requests.js';
import type { Ask, OperationSubject } from '../rule.js';
import { isSamePath } from '../same-path.js';
import { foundBelowServer, repeatedBasePath } from './base-path.js';
import { arrivalOf } from './key-arrival.js';
import { type KeyPlacement, otherPlacements } from './key-placements.js';
import { type RequestVariant, versionOf, versionVariants } from './versions.js';

/** What happened to the documented request, with the key in the documented place and format. Six rules judge from it. */
export type DocumentedRequest =
  | ({ readonly state: 'no-key'; readonly controls: readonly Exchange[] } & Why)
  | { readonly state: 'open'; readonly controls: UsableControls }
  /** Another shape of the key opens it, at the documented path. */
  | {
      readonly state: 'other-placement';
      readonly placement: KeyPlacement;
      readonly opened: Exchange;
      readonly controls: Controls;
    }
  /** A version sent beside the path opens it. */
  | { readonly state: 'other-version'; readonly words: string; readonly opened: Exchange; readonly controls: Controls }
  /** It answers at another path. */
  | { readonly state: 'elsewhere'; readonly words: string; readonly opened: Exchange; readonly controls: Controls }
  /** The documented method is not allowed there (RFC 9110 section 15.5.6). */
  | { readonly state: 'other-method'; readonly keyed: Response; readonly controls: Controls }
  | ({ readonly state: 'nothing-there'; readonly controls: Controls } & Why)
  /** The key, or the server, refuses: which of them, nobody can tell from outside. */
  | ({ readonly state: 'refused'; readonly controls: Controls } & Why)
  | ({ readonly state: 'unjudgeable'; readonly controls: Controls } & Why);

interface Why {
  readonly cause: Cause;
  readonly reason: string;
}

export const documentedRequest = (ask: Ask, subject: OperationSubject): DocumentedRequest => {
  const way = observed(ask, subject);
  if (way.state === 'no-key' || !isNotThere(way.state, way.controls)) return way;
  const hint = repeatedBasePath(subject.deployment, [subject.operation.path]) ?? foundBelowServer(ask, subject);
  // What is asked for is then no path of the document's, whatever the server says of it.
  return hint
    ? {
        state: 'unjudgeable',
        cause: because('no-path', 'BASE_URL'),
        reason: `${hint.says} ${hint.advice}`,
        controls: way.controls,
      }
    : way;
};

/** Whether the documented request found something else than the operation, or what a path finds that does not exist. */
const isNotThere = (state: DocumentedRequest['state'], { keyed, keyedMissing }: Controls): boolean => {
  if (state === 'elsewhere' || state === 'nothing-there' || state === 'other-method') return true;
  if (state !== 'unjudgeable' && state !== 'refused') return false;
  const [answer, missing] = [answerOf(keyed[0]), answerOf(keyedMissing)];
  return answer !== undefined && missing !== undefined && !isNoAnswer(answer) && isSame(answer, missing);
};

const observed = (ask: Ask, subject: OperationSubject): DocumentedRequest => {
  if (!keyAvailable(subject)) {
    const missing = subject.operation.security.find(({ setting }) => subject.deployment.keys[setting] === undefined);
    const setting = missing?.setting ?? 'API_KEY';
    return {
      state: 'no-key',
      cause: because('no-key', setting),
      reason: `No key was given: set ${setting}.`,
      controls: [],
    };
  }
  if (keyConfined(subject))
    return {
      state: 'no-key',
      cause: because('key-in-url'),
      reason: 'The documented place of the key is the URL: set PROBE_KEY_IN_URL=true to let it be sent there.',
      controls: [],
    };
  const controls = controlsOf(ask, subject);
  const good = usable(controls);
  if (isUsable(good)) return { state: 'open', controls: good };
  const keyed = answerOf(controls.keyed[0]);
  if (!keyed || isNoAnswer(keyed)) return unusableControls(good, controls);
  const second = answerOf(controls.keyed[1]);
  if (second && isSuccess(keyed) !== isSuccess(second)) return opensSometimes([keyed, second], controls);
  if (isSuccess(keyed) && good.why !== 'like-nothing' && good.why !== 'like-keyless')
    return unusableControls(good, controls);
  const missing = answerOf(controls.keyedMissing);
  if (keyed.status === 405 && !allowsMethod(keyed, subject) && !(missing && isSame(keyed, missing)))
    return { state: 'other-method', controls, keyed };
  const other = otherRequests(ask, subject, controls, keyed);
  if (!other) return whyNotOpened(ask, subject, controls, keyed, good);
  // What the key opens only now and then was opened by the moment, not by the other way.
  const again = ask.all(laterRounds.map((round) => keyedControl(subject, round, 'after other ways'))).map(answerOf);
  const turned = again.find(
    (answer) =>
      answer !== undefined &&
      (isSuccess(answer) !== isSuccess(keyed) || (isSuccess(keyed) && !isOfOneForm(answer.facts, keyed.facts))),
  );
  return turned ? opensSometimes([keyed, turned], controls) : other;
};

const laterRounds = [1, 2, 3] as const;

/** 429, and what gateways say for a service that does not answer. A crash (500) on the documented request is an answer. */
const isNoAnswer = (answer: Response): boolean => answer.status === 429 || isUnavailable(answer);

const unusableControls = ({ why, words, values = [] }: Unusable, controls: Controls): DocumentedRequest => ({
  state: 'unjudgeable',
  cause: because('control-unusable', why, ...values),
  reason: sentence(words),
  controls,
});

const opensSometimes = (answers: readonly Response[], controls: Controls): DocumentedRequest => ({
  state: 'unjudgeable',
  cause: because('changes-between-tries', ...answers.map(({ status }) => status)),
  reason: `The same request with the key was answered with ${answers.map(({ status }) => status).join(', then with ')}: it opens only now and then.`,
  controls,
});

/** Whether a path is that of another operation of the document, which says nothing of this one. */
const isOtherOperation = (target: string, { contract, deployment, operation }: OperationSubject): boolean => {
  const [path] = splitTarget(target);
  const documented = [...contract.operations, ...contract.unprobed].filter((other) => other.path !== operation.path);
  return documented.some((other) => {
    const segments = `${deployment.basePath}${other.path}`.split('/');
    const own = path.split('/');
    return (
      segments.length === own.length &&
      segments.every((segment, index) => segment === own[index] || (/[{}]/.test(segment) && own[index] !== ''))
    );
  });
};

/** Shapes, versions and neighbours, each with the key and, to see what a wrong one gets there, with a random one. */
const otherRequests = (
  ask: Ask,
  subject: OperationSubject,
  controls: Controls,
  keyed: Response,
): DocumentedRequest | undefined => {
  const placements = otherPlacements(subject);
  const versions = versionVariants(subject);
  const places = [...neighbouringPaths(subject), ...redirectTarget(keyed, subject)].filter(
    ({ words }) => !isOtherOperation(words, subject),
  );
  ask.all([
    ...placements.flatMap(({ probe }) => [probe('valid'), probe('random')]),
    ...[...versions, ...places].flatMap(({ probe }) => [probe('valid'), probe('random')]),
  ]);
  for (const placement of placements) {
    const opened = opens(ask, placement, controls);
    if (opened) return { state: 'other-placement', placement, opened, controls };
  }
  for (const way of versions) {
    const opened = opens(ask, way, controls);
    if (opened) return { state: 'other-version', words: way.words, opened, controls };
  }
  for (const way of places) {
    const opened = opens(ask, way, controls);
    if (opened) return { state: 'elsewhere', words: way.words, opened, controls };
  }
  return undefined;
};

/**
 * Opened: a success of one form twice, unlike what a wrong key gets there, and unlike every control: those opened nothing. A
 * meaningless version, or a wrong key, must not get the same.
 */
const opens = (
  ask: Ask,
  { probe, meaningless }: Pick<RequestVariant, 'probe'> & { readonly meaningless?: RequestVariant['probe'] },
  controls: Controls,
): Exchange | undefined => {
  const exchange = ask(probe('valid'));
  const answer = answerOf(exchange);
  if (!answer || !isSuccess(answer) || answer.facts.kind === 'empty') return undefined;
  const repeated = answerOf(ask(probe('valid', 2)));
  if (!repeated || !isSuccess(repeated) || !isOfOneForm(answer.facts, repeated.facts)) return undefined;
  const random = ask(probe('random'));
  if (answerOf(random) === undefined) return undefined;
  const others = [random, ...(meaningless ? [ask(meaningless('valid'))] : []), ...controls.all].map(answerOf);
  return others.some((other) => other !== undefined && mayBeSame(answer, repeated, other)) ? undefined : exchange;
};

/** The same answer, but for what differs between the two keyed ones. */
const isTheSame = (first: Response, second: Response, other: Response): boolean =>
  isSame(first, other) ||
  (first.status === other.status && sharedWithKeyed(first.facts, second.facts, other.facts) !== undefined);

/** The same answer, or another success of the same structure: neither shows that something was opened. */
const mayBeSame = (first: Response, second: Response, other: Response): boolean => {
  if (isSame(first, other) || sharedWithKeyed(first.facts, second.facts, other.facts) !== undefined) return true;
  if (!isSuccess(other)) return false;
  const [a, b] = [first.facts, other.facts];
  if (!a.shape || !b.shape) return a.kind === b.kind && a.mediaType === b.mediaType;
  // A list that is filled for the key, and empty without it, was opened.
  return fits(a.shape, b.shape) && keyedOf(first, second).rows.length === keyedOf(other, other).rows.length;
};

const whyNotOpened = (
  ask: Ask,
  subject: OperationSubject,
  controls: Controls,
  keyed: Response,
  unusable: Unusable,
): DocumentedRequest => {
  const [anonymous, missing, base] = [controls.anonymous, controls.missing, controls.base].map(answerOf);
  const filled = filledParameters(subject.operation);
  if (filled !== '' && [400, 404, 410, 422].includes(keyed.status))
    return {
      state: 'unjudgeable',
      cause: because('no-path', 'PARAMETERS', keyed.status, filled),
      reason: `${targetOf(subject)} is answered with ${keyed.status} with the key: the value filled in for ${filled} may name nothing on this deployment. Give one that does in the PARAMETERS file, under "${subject.operation.id}".`,
      controls,
    };
  const elsewhere = foreignHost(keyed, subject);
  if (elsewhere && missing && foreignHost(missing, subject) === elsewhere)
    return {
      state: 'unjudgeable',
      cause: because('redirects-elsewhere', elsewhere),
      reason: `Every path redirects to ${elsewhere}: set BASE_URL to it.`,
      controls,
    };
  const keyedMissing = answerOf(controls.keyedMissing);
  const likeMissing = keyedMissing !== undefined && isSame(keyed, keyedMissing);
  const likeBase = base !== undefined && isSame(keyed, base);
  if (likeMissing && (likeBase || isSuccess(keyed)))
    return {
      state: 'unjudgeable',
      cause: because('answered-like-nothing', keyed.status, likeBase ? 'base' : 'missing'),
      reason: `The operation${likeBase ? ', a path that does not exist and the base path' : ' and a path that does not exist'} are answered alike (${keyed.status}): a firewall, a wrong BASE_URL, or nothing is served there.`,
      controls,
    };
  const isThere = anonymous !== undefined && missing !== undefined && !isSame(anonymous, missing);
  if (likeMissing && keyed.status === 404 && isThere && [401, 403, 407].includes(anonymous.status))
    return {
      state: 'unjudgeable',
      cause: because('answered-like-nothing', 404, anonymous.status),
      reason: `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist; without one it is refused (${anonymous.status}), and that path is not: something is there, and it may be that this key has nothing in it.`,
      controls,
    };
  if (likeMissing && keyed.status === 404 && !isKnownToOptions(ask, subject))
    return {
      state: 'nothing-there',
      cause: because('nothing-at-path', 404),
      reason: `${targetOf(subject)} is answered with 404, exactly as a path that does not exist.`,
      controls,
    };
  if (isRedirect(keyed) && anonymous && isSame(keyed, anonymous) && leadsToSpelling(keyed, subject) && !likeMissing)
    return {
      state: 'nothing-there',
      cause: because('nothing-at-path', keyed.status),
      reason: `${targetOf(subject)} only redirects to ${header(keyed, 'location') ?? ''}, with the key and without.`,
      controls,
    };
  if (addsAQuery(keyed, subject))
    return {
      state: 'unjudgeable',
      cause: because('redirects-elsewhere', 'query'),
      reason: `With the key ${targetOf(subject)} redirects to itself with another query (${header(keyed, 'location') ?? ''}): name that query in the document, by an OVERLAY or with PARAMETERS.`,
      controls,
    };
  const arrival = arrivalOf(ask, subject, controls);
  if (unusable.why === 'like-keyless')
    return {
      state: 'refused',
      cause: because('key-refused', keyed.status, 'like-keyless'),
      reason: `The request with the key was answered with ${keyed.status}, like one without a key or with a random one, in a body that may be a refusal, and no other shape of the key was taken: the key may be wrong or expired, ${arrival.possible}the server may not take it as documented, or it asks for none and has nothing to show.${alikeForAll(controls, subject)}${arrival.seen}`,
      controls,
    };
  if (isSuccess(keyed) && (!anonymous || !isSame(keyed, anonymous))) return unusableControls(unusable, controls);
  const there = withoutTheKeyThere(ask, keyed, subject);
  if (there !== '' && anonymous && !isSame(keyed, anonymous))
    return {
      state: 'unjudgeable',
      cause: because('redirects-elsewhere', keyed.status, anonymous.status),
      reason: `${targetOf(subject)} is answered with ${keyed.status} with the key and with ${anonymous.status} without one.${there}`,
      controls,
    };
  return {
    state: 'refused',
    cause: because('key-refused', keyed.status),
    reason: `The request with the key was answered with ${keyed.status}, and no other shape of the key was taken: the key may be wrong or expired, ${arrival.possible}or the server does not take it as documented.${arrival.seen}${there}`,
    controls,
  };
};

/** What the document has to say where the key makes no difference at all. */
const alikeForAll = ({ keyed, anonymous, random }: Controls, { operation }: OperationSubject): string => {
  const [first, second, without, wrong] = [...keyed, anonymous, random].map(answerOf);
  const isTheKeyed = (answer: Response | undefined): boolean =>
    first !== undefined && second !== undefined && answer !== undefined && isTheSame(first, second, answer);
  if (!isTheKeyed(without)) return '';
  return ` It answers ${isTheKeyed(wrong) ? 'everybody' : 'a request without a key'} alike. ${asksForTheKey(operation)}: if the operation is public, the document has to say so with security: [].`;
};

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const urlOf = (subject: OperationSubject): string => `${subject.deployment.origin}${targetOf(subject)}`;

/** Where a redirect of the operation leads. */
const redirectedTo = (answer: Response, subject: OperationSubject): URL | undefined => {
  const location = header(answer, 'location') ?? '';
  return isRedirect(answer) && URL.canParse(location, urlOf(subject)) ? new URL(location, urlOf(subject)) : undefined;
};

/** Origin of a redirect to another host. */
const foreignHost = (answer: Response, subject: OperationSubject): string | undefined => {
  const to = redirectedTo(answer, subject);
  return to?.origin === subject.deployment.origin ? undefined : to?.origin;
};

/** A redirect to another spelling of the same resource: last segment kept, slash, version or prefix changed. */
const leadsToSpelling = (answer: Response, subject: OperationSubject): boolean => {
  const to = redirectedTo(answer, subject);
  if (!to) return false;
  const last = (path: string): string => path.split('/').findLast((segment) => segment !== '') ?? '';
  const [own] = splitTarget(targetOf(subject));
  const { pathname } = to;
  // A redirect to the very same path is a gateway's cookie or a loop: it says nothing of another place.
  return pathname !== own && last(pathname).toLowerCase() === last(own).toLowerCase();
};

/** A redirect to the documented path with another query: that is where it is. */
const addsAQuery = (answer: Response, subject: OperationSubject): boolean => {
  const [to, from] = [redirectedTo(answer, subject), new URL(urlOf(subject))];
  return to?.origin === from.origin && to.pathname === from.pathname && to.search !== from.search;
};

/** A route that exists often answers OPTIONS in another way than a path that does not. */
const isKnownToOptions = (ask: Ask, subject: OperationSubject): boolean => {
  const probe = requestFor(subject, { name: 'OPTIONS', credential: 'none', method: 'OPTIONS' });
  const [here, nowhere] = ask.all([probe, missingOf(subject, probe)]).map(answerOf);
  return here !== undefined && nowhere !== undefined && !isSame(here, nowhere);
};

/** 405 names the methods that a resource has, whoever asks. */
const allowsMethod = (answer: Response, { operation }: OperationSubject): boolean => {
  const allow = header(answer, 'allow');
  return allow === undefined || allow.split(',').some((method) => method.trim().toUpperCase() === operation.method);
};

/** The place on the same origin that a redirect names. */
const redirectWay = (answer: Response, subject: OperationSubject): RequestVariant | undefined => {
  const to = redirectedTo(answer, subject);
  if (to?.origin !== subject.deployment.origin) return undefined;
  if (to.href.includes('<API_KEY') || to.href.includes('%3CAPI_KEY')) return undefined;
  const target = `${to.pathname}${to.search}`;
  return {
    words: target,
    probe: (credential, round = 1) =>
      requestFor(subject, { name: 'where the redirect points', credential, round, target }),
  };
};

/**
 * That place where it may be asked with the key, like a neighbour and with a request of its own: another spelling of the documented
 * path or of a neighbour. What the server chose, in the path or in a query, gets no key.
 */
const redirectTarget = (answer: Response, subject: OperationSubject): RequestVariant[] => {
  const way = redirectWay(answer, subject);
  if (!way || addsAQuery(answer, subject)) return [];
  const [own, query] = splitTarget(targetOf(subject));
  const [path, chosen] = splitTarget(way.words);
  if (chosen !== '' && chosen !== query) return [];
  const places = [own, ...neighbouringPaths(subject).map(({ words }) => words)];
  return places.some((place) => isSamePath(path, place)) ? [way] : [];
};

/** What can be seen of the place of a redirect that is given no key: how it answers a random one. */
const withoutTheKeyThere = (ask: Ask, answer: Response, subject: OperationSubject): string => {
  if (!isRedirect(answer) || redirectTarget(answer, subject).length > 0) return '';
  const way = redirectWay(answer, subject);
  const there = way && answerOf(ask(way.probe('random')));
  const seen = there ? `; with a random one that place is answered with ${there.status}` : '';
  return ` It redirects to ${header(answer, 'location') ?? ''}, where the key is not sent, since the server chose the place${seen}. If the operation is there, the document has to say so.`;
};

/** Other paths where the same resource may answer. */
export const neighbouringPaths = (subject: OperationSubject): RequestVariant[] => {
  const [path, query] = splitTarget(subject.operation.target);
  const version = versionOf(subject);
  const swap = (from: string, to: string): string => path.replace(`/${from}/`, to);
  const paths = [
    path.endsWith('/') ? path.replace(/\/$/, '') : `${path}/`,
    ...(version
      ? [
          ...['v1', 'v2', 'v3']
            .filter((other) => other !== version.segment)
            .map((other) => swap(version.segment, `/${other}/`)),
          swap(version.segment, '/'),
        ]
      : []),
    path.replace(/^\/api\//, '/'),
    // A value that was filled in has no plural: it is another value.
    ...(/\{[^{}/]*\}\/?$/.test(subject.operation.path) ? [] : [path.replace(/([^/s])(\/?)$/, '$1s$2')]),
  ];
  return [...new Set(paths)]
    .filter((other) => other !== path && other !== '')
    .map((other) => ({
      words: `${subject.deployment.basePath}${other}`,
      probe: (credential, round = 1) =>
        requestFor(subject, {
          name: `the neighbour ${other}`,
          credential,
          round,
          target: `${subject.deployment.basePath}${other}${query}`,
        }),
    }));
};
