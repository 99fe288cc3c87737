import type { Contract, Operation } from '../../contract/model.js';
import { type BasePathHint, repeatedBasePath, unlikeServers } from '../../rules/documented-request/base-path.js';
import { header, isSuccess } from '../../rules/oracle/answers.js';
import { whyUnseen } from '../../rules/plain-http/plain-answer.js';
import type { Target } from '../../settings/target.js';
import { urlIn } from '../../urls.js';
import { WireClient } from '../../wire/client.js';
import { KeyRing } from '../../wire/keyring.js';
import { trustAdvice } from '../../wire/tls-facts.js';
import type { Attempt, Exchange, Response, Wire } from '../../wire/types.js';
import { counted } from '../../words.js';
import { skeletonOf } from '../own-api.js';
import { about, type Diagnosis, plainProbe } from './network.js';

/** Asks with a client of the doctor's own, which sends no key. */
const withWire = async <T>(target: Target, work: (wire: Wire) => Promise<T>): Promise<T> => {
  // A server may know the keys all the same, and say so.
  const keys = new KeyRing({ keys: target.keys });
  // A certificate that is not accepted is reported here and must not end the connection.
  const wire = new WireClient({ ...target, keys, salt: 'doctor', insecureTls: true });
  try {
    return await work(wire);
  } finally {
    await wire.close();
  }
};

const certificate = (target: Target, attempt: Attempt): Diagnosis => {
  const { well, doubt, trouble } = about('certificate');
  const { tls, error } = attempt;
  const [leaf] = tls?.chain ?? [];
  const named = leaf ? ` It is for ${leaf.altNames.join(', ') || leaf.subject}, from ${leaf.issuer}.` : '';
  const code = tls?.authorizationError ?? (error?.code === 'certificate' ? error.message : undefined);
  if (code) {
    const says = `The certificate is not accepted: ${code}.${named}`;
    if (/EXPIRED|NOT_YET/i.test(code))
      return trouble(says, 'Renew it; if it is new, look at the clock of this machine.');
    if (/ALTNAME|HOST/i.test(code)) return trouble(says, 'Use the name that the certificate is for in BASE_URL.');
    const why = tls && trustAdvice(tls, target.ca !== undefined);
    return trouble(why?.says ?? says, why?.advice ?? 'Look at the certificate that the server shows.');
  }
  const none = `There is no TLS: ${error?.message ?? 'nothing answered'}.`;
  if (!tls) return trouble(none, 'Is this the HTTPS port of the service?');
  const days = leaf ? Math.floor((Date.parse(leaf.validTo) - Date.now()) / 86_400_000) : 0;
  const says = `${tls.version}, accepted, valid for ${counted(days, 'more day')}.${named}`;
  return target.insecureTls
    ? doubt(`${says} INSECURE_TLS is on.`, 'Without it HTTPS-1 can be judged: leave it out.')
    : days < 7
      ? doubt(says, 'It is about to expire.')
      : well(says);
};

const clock = (response: Response): Diagnosis => {
  const { well, doubt, skipped } = about('clock');
  const date = Date.parse(header(response, 'date') ?? '');
  if (Number.isNaN(date)) return skipped('The answer has no Date field to compare with.');
  const seconds = Math.round((Date.now() - date) / 1000);
  return Math.abs(seconds) <= 60
    ? well('This machine and the server agree on the time.')
    : doubt(
        `This machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the server.`,
        'Set the clock: certificates and Retry-After are judged by it. (A cache in front of the server may also give an old Date.)',
      );
};

/** A likely mistake in the path of BASE_URL. */
const baseHint = (target: Target, { operations, serverPaths }: Contract): BasePathHint | undefined =>
  repeatedBasePath(
    target,
    operations.map(({ path }) => path),
  ) ?? unlikeServers(target, serverPaths);

const redirect = (target: Target, contract: Contract, response: Response): Diagnosis => {
  const { well, doubt } = about('base URL');
  const location = header(response, 'location');
  const base = `${target.origin}${target.basePath}`;
  const hint = baseHint(target, contract);
  if (hint) return doubt(hint.says, hint.advice);
  if (response.status < 300 || response.status > 399 || !location)
    return well(`${base} answers with status ${response.status}.`);
  const to = urlIn(location, `${base}/`);
  if (!to) return doubt(`${base} redirects to ${location}, which is no address.`, 'Clients cannot follow it.');
  return to.origin !== target.origin
    ? doubt(`${base} redirects to another place, ${to.origin}.`, `If the API is there, set BASE_URL=${to.origin}`)
    : well(`${base} redirects within itself (${response.status}).`);
};

/** Operations that are asked here; a run asks all of them. */
const mostAsked = 10;

/** What an answer without a key says, beside what the document says. */
const withoutKey = (
  { id, target: path, assumedPath, access }: Operation,
  answer: Response | undefined,
  target: Target,
  contract: Contract,
): Diagnosis => {
  const { well, doubt, trouble } = about(`path ${id}`);
  if (!answer) return trouble(`${path} gives no answer.`, 'Try again; if it stays so, look at the service.');
  const { status } = answer;
  const assumed = assumedPath && !(assumedPath.setting in target.paths) ? assumedPath.setting : undefined;
  const says = `${path} answers ${status} without a key`;
  if (status === 429 || status >= 500)
    return doubt(`${says}.`, 'What the service does not answer cannot be judged: look at the service.');
  const isPublic = access === 'public';
  const look = 'Look at BASE_URL and at the path.';
  if (status === 404 || status === 410) {
    const hint = baseHint(target, contract);
    if (hint) return doubt(`${says}.`, hint.advice);
    if (!isPublic)
      return doubt(`${says}.`, 'Some servers hide what is protected; if this one does not, look at BASE_URL.');
    const advice = assumed
      ? `This path is an assumption: set ${assumed} to the right one. If no path is there, look at BASE_URL.`
      : look;
    return doubt(`${path} is not there (${status}).`, advice);
  }
  const opens = isSuccess(answer);
  const refuses = status === 401 || status === 403 || status === 407;
  if (access === 'protected' && opens)
    return doubt(
      `${says}, and the document says that it needs one.`,
      'A run compares the answer with what the key opens: it may be a refusal in the body, or the operation is open to everybody.',
    );
  if (isPublic && !opens && !refuses) return doubt(`${says}.`, look);
  if (isPublic && refuses)
    return doubt(
      `${says}, and the document says that it needs none.`,
      `If it does need one, AUTH-4 fails; if the document is wrong, correct it with an OVERLAY${contract.operations.some((each) => each.access === 'protected') ? '' : ` (${skeletonOf(contract)})`}.`,
    );
  return well(`${says}${assumed && opens ? ', so the assumed path seems right' : ''}.`);
};

/** Sends a few requests without the key: the base URL, then some operations. */
export const askTarget = (target: Target, contract: Contract): Promise<Diagnosis[]> =>
  withWire(target, async (wire) => {
    const ask = async (operation: string, name: string, path: string): Promise<Attempt | undefined> =>
      (await wire.send(plainProbe(operation, name, target.origin, path))).attempts.at(-1);
    const first = await ask('service', 'the base URL', `${target.basePath}/`);
    if (!first) return [];
    const found: Diagnosis[] = [certificate(target, first)];
    const { response, error, tls } = first;
    if (!response) {
      const says = `The base URL gives no answer: ${error?.message}.`;
      if (error?.code !== 'certificate' && tls)
        found.push(about('answer').trouble(says, 'Look at the service and what stands in front of it.'));
      return found;
    }
    found.push(clock(response), redirect(target, contract, response));
    const readable = contract.operations.filter(({ method }) => method === 'GET');
    for (const operation of readable.slice(0, mostAsked)) {
      const answer = (await ask(operation.id, 'without a key', target.basePath + operation.target))?.response;
      found.push(withoutKey(operation, answer, target, contract));
    }
    const left = contract.operations.length - Math.min(readable.length, mostAsked);
    if (left > 0) found.push(about('paths').skipped(`${counted(left, 'more operation')} not asked here.`));
    return found;
  });

const plainHttp = about('plain HTTP');

/** What the settings say of the plain-HTTP side, where that is all there is to say. */
const knownFromSettings = ({ httpBaseUrl }: Target): Diagnosis | undefined => {
  if (httpBaseUrl === 'none') return plainHttp.well('HTTP_BASE_URL says that there is none.');
  if (httpBaseUrl !== null) return undefined;
  return plainHttp.doubt(
    'The base URL has a port of its own, so nobody can say where plain HTTP would be.',
    'Set HTTP_BASE_URL to it, or to none when there is no such port; else HTTPS-2 is inconclusive.',
  );
};

const seen = (at: string, plain: Exchange): Diagnosis => {
  const { response, error } = plain.attempts.at(-1) ?? {};
  if (!response) return plainHttp.well(`${at} gives no answer: ${error?.message ?? 'nothing came'}.`);
  const location = header(response, 'location') ?? '';
  if (response.status >= 300 && response.status < 400 && /^https:/i.test(location))
    return plainHttp.well(`${at} redirects to https (${response.status}).`);
  return plainHttp.well(`${at} answers ${response.status}; a run compares it with what HTTPS answers.`);
};

/** Requests the first operation's path over plain HTTP, without a key, as a run does. */
export const askPlain = async (target: Target, contract: Contract): Promise<Diagnosis> => {
  const known = knownFromSettings(target);
  if (known) return known;
  const at = target.httpBaseUrl ?? '';
  const [operation] = contract.operations;
  return withWire(target, async (wire) => {
    const ask = (base: string): Promise<Exchange> => {
      const { origin, pathname } = new URL(base);
      const path = pathname.replace(/\/$/, '') + (operation?.target ?? '/');
      return wire.send(plainProbe(operation?.id ?? 'service', 'plain HTTP', origin, path));
    };
    const [https, plain] = await Promise.all([ask(target.origin + target.basePath), ask(at)]);
    const unseen = whyUnseen(plain, https);
    return unseen === undefined
      ? seen(at, plain)
      : plainHttp.doubt(`${at} was not reached: ${unseen.words}.`, 'As it is, HTTPS-2 is inconclusive.');
  });
};
