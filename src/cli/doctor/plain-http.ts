import type { Contract } from '../../contract/model.js';
import { whyUnseen } from '../../rules/plain-http/plain-http-reachability.js';
import type { Target } from '../../settings/target.js';
import { createWire } from '../../wire/client.js';
import { createKeyRing } from '../../wire/keyring.js';
import type { Exchange } from '../../wire/types.js';
import { type Diagnosis, doubt, plainProbe, well } from './diagnosis.js';

const what = 'plain HTTP';

/** What the settings say of the plain-HTTP side, where that is all there is to say. */
const knownFromSettings = ({ httpBaseUrl }: Target): Diagnosis | undefined => {
  if (httpBaseUrl === 'none') return well(what, 'HTTP_BASE_URL says that there is none.');
  if (httpBaseUrl !== null) return undefined;
  return doubt(
    what,
    'The base URL has a port of its own, so nobody can say where plain HTTP would be.',
    'Set HTTP_BASE_URL to it, or to none when there is no such port; else HTTPS-2 is inconclusive.',
  );
};

const seen = (at: string, plain: Exchange): Diagnosis => {
  const { response, error } = plain.attempts.at(-1) ?? {};
  if (!response) return well(what, `${at} gives no answer: ${error?.message ?? 'nothing came'}.`);
  const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  if (response.status >= 300 && response.status < 400 && /^https:/i.test(location))
    return well(what, `${at} redirects to https (${response.status}).`);
  return well(what, `${at} answers ${response.status}; a run compares it with what HTTPS answers.`);
};

/** Requests the first operation's path over plain HTTP, without a key, as a run does. */
export const askPlain = async (target: Target, contract: Contract): Promise<Diagnosis> => {
  const known = knownFromSettings(target);
  if (known) return known;
  const at = target.httpBaseUrl ?? '';
  const wire = createWire({ ...target, keys: createKeyRing({ keys: target.keys }), salt: 'doctor', insecureTls: true });
  const [operation] = contract.operations;
  const ask = (base: string): Promise<Exchange> => {
    const { origin, pathname } = new URL(base);
    const path = pathname.replace(/\/$/, '') + (operation?.target ?? '/');
    return wire.send(plainProbe(operation?.id ?? 'service', 'plain HTTP', origin, path));
  };
  try {
    const [https, plain] = await Promise.all([ask(target.origin + target.basePath), ask(at)]);
    const unseen = whyUnseen(plain, https);
    return unseen === undefined
      ? seen(at, plain)
      : doubt(what, `${at} was not reached: ${unseen}.`, 'As it is, HTTPS-2 is inconclusive.');
  } finally {
    await wire.close();
  }
};
