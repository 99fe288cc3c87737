import { isWithoutTls } from '../../urls.js';
import type { Probe } from '../../wire/types.js';
import { answerOf, header, isNotFound, isRedirect, isSuccess, isUnanswered } from '../oracle/answers.js';
import { isSame } from '../oracle/same.js';
import { isAnswerTo } from '../support/follow-up.js';
import { because } from '../support/judgement.js';
import { again, missingOf, requestFor } from '../support/requests.js';
import { targetOf } from '../support/targets.js';
import { nothingThere, type UnopenedRequest, unjudgeable, type Why } from './not-opened.js';
import { openedElsewhere } from './opened-elsewhere.js';
import { addsAQuery, commonBase, leadsToSpelling } from './redirects.js';
import { withOtherLastSlash } from './request-variants.js';

/** Why nothing opens at the path, whatever the key is. `undefined` if something answers there. */
export const whyNotThere = (request: UnopenedRequest): Why | undefined =>
  noSuchValue(request) ??
  everyPathRedirects(request) ??
  everyPathIsAlike(request) ??
  likeMissingPath(request) ??
  redirectsToAnotherPath(request);

const noSuchValue = (request: UnopenedRequest): Why | undefined => {
  const { subject, keyed, filled } = request;
  if (filled === '' || !(isNotFound(keyed) || keyed.status === 400 || keyed.status === 422)) return undefined;
  const answered = `${targetOf(subject)} is answered with ${keyed.status} with the key`;
  // The path has no value that could name nothing.
  if (isNotFound(keyed) && !subject.operation.path.includes('{') && isLikeMissing(request))
    return unjudgeable(
      because('answered-like-nothing', keyed.status, 'there'),
      `${answered}, as a path that does not exist: nothing may be served there, or the value filled in for ${filled} may name nothing on this deployment.`,
    );
  const why = `the value filled in for ${filled} may name nothing on this deployment`;
  return unjudgeable(
    because('no-path', 'PARAMETERS', keyed.status, filled),
    isNotFound(keyed)
      ? `${answered}: ${why}. Give one that does in the PARAMETERS file, under "${subject.operation.id}".`
      : `${answered}: ${why} or be written in another way than it takes, the request may lack something that the document does not name, or the service makes a mistake. The answer may say which; values are given in the PARAMETERS file, under "${subject.operation.id}".`,
  );
};

const everyPathRedirects = ({ subject, controls }: UnopenedRequest): Why | undefined => {
  const elsewhere = commonBase(controls.keyed[0], controls.missing, subject);
  if (!elsewhere) return undefined;
  const advice = isWithoutTls(elsewhere)
    ? ', without TLS: the key is not sent there, and HTTPS has to serve the API itself'
    : ': set BASE_URL to it';
  return unjudgeable(because('redirects-elsewhere', elsewhere), `Every path redirects to ${elsewhere}${advice}.`);
};

const isLikeMissing = ({ keyed, controls }: UnopenedRequest): boolean => isSame(keyed, answerOf(controls.keyedMissing));

const everyPathIsAlike = (request: UnopenedRequest): Why | undefined => {
  const { ask, subject, controls, keyed } = request;
  const likeBase = isSame(keyed, answerOf(controls.base));
  if (!isLikeMissing(request) || !(likeBase || isSuccess(keyed))) return undefined;
  const opened = openedElsewhere(ask, subject);
  return unjudgeable(
    because('answered-like-nothing', keyed.status, opened === undefined ? 'all' : 'there'),
    `The operation${likeBase ? ', a path that does not exist and the base path' : ' and a path that does not exist'} are answered alike (${keyed.status}): ${opened === undefined ? 'a firewall, a wrong BASE_URL, or nothing is served there' : `the key opens ${opened}, so BASE_URL is right: nothing is served there, or it is hidden from this key`}.`,
  );
};

/** With the key it is answered with 404, as a missing path is. Without a key, it may not be. */
const likeMissingPath = (request: UnopenedRequest): Why | undefined => {
  const { ask, subject, controls, keyed, anonymous } = request;
  if (keyed.status !== 404 || !isLikeMissing(request)) return undefined;
  const missing = answerOf(controls.missing);
  // Two redirects may name the two paths.
  const isThere =
    anonymous &&
    missing &&
    !(isRedirect(anonymous) && isRedirect(missing)) &&
    !isAnswerTo(ask, controls.missing, anonymous);
  if (isThere)
    return unjudgeable(
      because('answered-like-nothing', 404, anonymous.status, 'there'),
      `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist; without one it gets ${anonymous.status}, and that path does not: something is there, and it may be that this key has nothing in it.`,
    );
  const unheard = [controls.anonymous, controls.missing].find(isUnanswered);
  if (unheard)
    return unjudgeable(
      because('no-answer', answerOf(unheard)?.status ?? unheard.attempts.at(-1)?.error?.code),
      `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist. Whether the two differ without a key is not known: the request ${unheard.probe.name} got no answer to judge.`,
    );
  if (isShutOut(request))
    return unjudgeable(
      because('client-refused', 404),
      `With the key ${targetOf(subject)} is answered with 404, as a path that does not exist. The base path gets that by now too, and got another answer before: the service refuses this client, whatever it asks.`,
    );
  if (isKnownOtherwise(request)) return undefined;
  return nothingThere(
    because('nothing-at-path', 404),
    `${targetOf(subject)} is answered with 404, exactly as a path that does not exist.${openedElsewhere(ask, subject) === undefined ? ' BASE_URL may lack a prefix of the path, and a service that hides what it refuses gives that answer to a wrong key too.' : ''}`,
  );
};

/** Whether the base path gets the same by now, or no answer, and got another one before. */
const isShutOut = ({ ask, controls: { base }, keyed }: UnopenedRequest): boolean => {
  if (isUnanswered(base)) return false;
  const now = ask(again(base.probe));
  return isUnanswered(now) || isSame(keyed, answerOf(now));
};

/** Whether OPTIONS or the other last slash is answered unlike a missing path. */
const isKnownOtherwise = ({ ask, subject }: UnopenedRequest): boolean => {
  const request = (name: string, method: string, target = targetOf(subject)): Probe =>
    requestFor(subject, { name, credential: 'none', method, target });
  const probes = [
    request('OPTIONS', 'OPTIONS'),
    request('the other last slash', 'GET', withOtherLastSlash(targetOf(subject))),
  ];
  ask.all(probes.flatMap((probe) => [probe, missingOf(subject, probe)]));
  return probes.some((probe) => {
    const here = answerOf(ask(probe));
    const missing = ask(missingOf(subject, probe));
    const nowhere = answerOf(missing);
    if (!here || !nowhere) return false;
    // Redirects name the path, which differs.
    return here.status !== nowhere.status || (!isRedirect(here) && !isAnswerTo(ask, missing, here));
  });
};

const redirectsToAnotherPath = (request: UnopenedRequest): Why | undefined => {
  const { subject, keyed, anonymous } = request;
  const location = header(keyed, 'location') ?? '';
  if (isRedirect(keyed) && isSame(keyed, anonymous) && leadsToSpelling(keyed, subject) && !isLikeMissing(request))
    return nothingThere(
      because('nothing-at-path', keyed.status),
      `${targetOf(subject)} only redirects to ${location}, with the key and without.`,
    );
  if (addsAQuery(keyed, subject))
    return unjudgeable(
      because('redirects-elsewhere', 'query'),
      `With the key ${targetOf(subject)} redirects to itself with another query (${location}): name that query in the document, by an OVERLAY or with PARAMETERS.`,
    );
  return undefined;
};
