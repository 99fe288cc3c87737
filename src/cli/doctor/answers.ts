import type { Contract } from '../../contract/model.js';
import { repeatedStart } from '../../rules/repeated-start.js';
import type { Target } from '../../target/target.js';
import { createWire } from '../../wire/client.js';
import { createKeyRing } from '../../wire/keyring.js';
import type { Attempt, Response } from '../../wire/types.js';
import { type Diagnosis, doubt, skipped, trouble, well } from './check.js';

const field = (response: Response, name: string): string | undefined =>
  response.headers.find(([given]) => given.toLowerCase() === name)?.[1];

const certificate = (target: Target, attempt: Attempt): Diagnosis => {
  const what = 'certificate';
  const { tls, error } = attempt;
  const [leaf] = tls?.chain ?? [];
  const named = leaf ? ` It is for ${leaf.altNames.join(', ') || leaf.subject}, from ${leaf.issuer}.` : '';
  const code = tls?.authorizationError ?? (error?.code === 'certificate' ? error.message : undefined);
  if (code) {
    const says = `The certificate is not accepted: ${code}.${named}`;
    if (/EXPIRED|NOT_YET/i.test(code))
      return trouble(what, says, 'Renew it; if it is new, look at the clock of this machine.');
    if (/ALTNAME|HOST/i.test(code)) return trouble(what, says, 'Use the name that the certificate is for in BASE_URL.');
    return trouble(
      what,
      says,
      'If your own authority signed it, set CA_FILE to its certificate. If it is a public one, the server leaves an intermediate certificate out.',
    );
  }
  if (!tls)
    return trouble(
      what,
      `There is no TLS: ${error?.message ?? 'nothing answered'}.`,
      'Is this the HTTPS port of the service?',
    );
  const days = leaf ? Math.floor((Date.parse(leaf.validTo) - Date.now()) / 86_400_000) : 0;
  const says = `${tls.version}, accepted, valid for ${days} more days.${named}`;
  return target.insecureTls
    ? doubt(what, `${says} INSECURE_TLS is on.`, 'Without it HTTPS-1 can be judged: leave it out.')
    : days < 7
      ? doubt(what, says, 'It is about to expire.')
      : well(what, says);
};

const clock = (response: Response): Diagnosis => {
  const what = 'clock';
  const date = Date.parse(field(response, 'date') ?? '');
  if (Number.isNaN(date)) return skipped(what, 'The answer has no Date field to compare with.');
  const seconds = Math.round((Date.now() - date) / 1000);
  return Math.abs(seconds) <= 60
    ? well(what, 'This machine and the server agree on the time.')
    : doubt(
        what,
        `This machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the server.`,
        'Set the clock: certificates and Retry-After are judged by it. (A cache in front of the server may also give an old Date.)',
      );
};

const redirect = (target: Target, contract: Contract, response: Response): Diagnosis => {
  const what = 'base URL';
  const location = field(response, 'location');
  const base = `${target.origin}${target.basePath}`;
  const repeated = repeatedStart(
    target,
    contract.operations.map(({ path }) => path),
  );
  if (repeated) return doubt(what, repeated.says, repeated.advice);
  if (response.status < 300 || response.status > 399 || !location)
    return well(what, `${base} answers with status ${response.status}.`);
  if (!URL.canParse(location, `${base}/`))
    return doubt(what, `${base} redirects to ${location}, which is no address.`, 'Clients cannot follow it.');
  const to = new URL(location, `${base}/`);
  return to.origin !== target.origin
    ? doubt(what, `${base} redirects to another place, ${to.origin}.`, `If the API is there, set BASE_URL=${to.origin}`)
    : well(what, `${base} redirects within itself (${response.status}).`);
};

/**
 * Asks the target a few questions, without the key: the base URL, then each operation and a path that does not exist beside it.
 */
export const askTarget = async (target: Target, contract: Contract): Promise<Diagnosis[]> => {
  // It sends none of them; a server may know them all the same, and say so.
  const keys = createKeyRing({ keys: target.keys });
  // The certificate is to be judged here, not to end the talk.
  const wire = createWire({ ...target, keys, salt: 'doctor', insecureTls: true });
  const ask = async (operation: string, name: string, path: string) => {
    const exchange = await wire.send({
      operation,
      name,
      method: 'GET',
      origin: target.origin,
      target: path,
      headers: [],
      connection: 'shared',
      protocol: 'http/1.1',
      round: 1,
    });
    return exchange.attempts.at(-1);
  };
  try {
    const first = await ask('service', 'the base URL', `${target.basePath}/`);
    if (!first) return [];
    const found: Diagnosis[] = [certificate(target, first)];
    if (!first.response) {
      if (first.error?.code !== 'certificate' && first.tls)
        found.push(
          trouble(
            'answer',
            `The base URL gives no answer: ${first.error?.message}.`,
            'Look at the service and what stands in front of it.',
          ),
        );
      return found;
    }
    found.push(clock(first.response), redirect(target, contract, first.response));
    for (const { id, target: path, assumedPath, access } of contract.operations.slice(0, 10)) {
      const answer = (await ask(id, 'without a key', target.basePath + path))?.response;
      const assumed = assumedPath && !(assumedPath.setting in target.paths);
      const what = `path ${id}`;
      if (!answer)
        found.push(trouble(what, `${path} gives no answer.`, 'Try again; if it stays so, look at the service.'));
      else if (answer.status === 404 && access === 'public')
        found.push(
          doubt(
            what,
            `${path} is not there (404).`,
            assumed
              ? `This path is an assumption. Set ${assumedPath.setting} to the right one.`
              : 'Look at BASE_URL and at the path.',
          ),
        );
      else if (answer.status === 404)
        found.push(
          doubt(
            what,
            `${path} answers 404 without a key.`,
            'Some servers hide what is protected; if this one does not, look at BASE_URL.',
          ),
        );
      else
        found.push(
          well(
            what,
            `${path} answers ${answer.status} without a key${assumed ? ', so the assumed path seems right' : ''}.`,
          ),
        );
    }
    return found;
  } finally {
    await wire.close();
  }
};
