import type { Contract } from '../../contract/model.js';
import { deploymentOf, traitsOf } from '../../engine/deployment.js';
import { holdsOne } from '../../rules/identities/stated-scopes.js';
import { type View, viewOf } from '../../rules/identities/views.js';
import { keyedControl } from '../../rules/oracle/control-requests.js';
import type { KeyHolder, Subject } from '../../rules/rule.js';
import { targetOf } from '../../rules/support/targets.js';
import type { Target } from '../../settings/target.js';
import { createWire } from '../../wire/client.js';
import { createKeyRing } from '../../wire/keyring.js';
import { about, type Diagnosis } from './diagnosis.js';

/** An operation that the document says opens to an identity, or else one of which it says nothing. */
const tried = (identity: KeyHolder, subject: Subject): View | undefined => {
  const views = subject.contract.operations.flatMap((operation) => {
    const view =
      operation.access === 'protected' && operation.method === 'GET' && !operation.path.includes('{')
        ? viewOf({ ...subject, operation }, identity)
        : undefined;
    return view && holdsOne(operation, identity) !== false ? [view] : [];
  });
  return views.find(({ subject: { operation } }) => holdsOne(operation, identity)) ?? views[0];
};

/** Sends one request with the key of each identity of IDENTITIES. */
export const askAsIdentities = async (target: Target, contract: Contract): Promise<Diagnosis[]> => {
  if (target.identities === undefined) return [];
  const ring = createKeyRing({ keys: target.keys });
  const subject: Subject = { contract, deployment: deploymentOf(target, traitsOf(target, ring), 'doctor') };
  const wire = createWire({ ...target, keys: ring, salt: 'doctor' });
  const found: Diagnosis[] = [];
  try {
    for (const identity of subject.deployment.identities ?? []) {
      const { well, doubt, trouble, skipped } = about(`identity ${identity.name}`);
      const view = tried(identity, subject);
      if (!view) {
        const hasKeys = Object.values(identity.keys ?? {}).every((setting) => target.keys[setting] !== undefined);
        const says = hasKeys ? 'No operation without a parameter is one that it may read.' : 'Its key was not got.';
        found.push(skipped(says));
        continue;
      }
      const { attempts } = await wire.send(keyedControl(view.subject, 1));
      const status = attempts.at(-1)?.response?.status;
      const path = targetOf(view.subject);
      if (status === undefined)
        found.push(trouble(`${path} gives it no answer.`, 'Try again; if it stays so, look at the service.'));
      else if (status >= 200 && status < 300) found.push(well(`${path} answers ${status} to its key.`));
      else
        found.push(
          doubt(
            `${path} answers ${status} to its key.`,
            'Look at its key, and at its scopes in IDENTITIES: nothing is judged of a key that opens nothing.',
          ),
        );
    }
    return found;
  } finally {
    await wire.close();
  }
};
