import { loadContract } from '../../../src/contract/load.js';
import { asset } from '../../../src/package.js';
import { refusesOtherSpellings } from '../../../src/rules/refuses-other-spellings.js';
import { proxyFields } from '../../../src/rules/refuses-proxy-fields.js';
import { invalidKeys } from '../../../src/rules/refuses-worthless-keys.js';
import type { OperationSubject } from '../../../src/rules/rule.js';
import { trickOf } from '../../../src/rules/support/bundles.js';
import { formControl } from '../../../src/rules/support/requests.js';
import type { Probe } from '../../../src/wire/types.js';
import { expect, test } from '../support/test.js';

/**
 * Each way to come without the key has the requests beside it that tell whether the way made the
 * difference.
 */

const subject = async (probes: 'standard' | 'extended' = 'extended'): Promise<OperationSubject> => {
  const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'), {});
  const operation = contract.operations.find(({ access }) => access === 'protected');
  if (!operation) throw new TypeError('the shipped contract has a protected operation');
  return {
    contract,
    operation,
    deployment: {
      origin: 'https://fitness.example',
      basePath: '',
      httpBaseUrl: 'none',
      keys: { API_KEY: { mixesCase: false } },
      probes,
      probeKeyInUrl: false,
      insecureTls: false,
      seed: 'seed',
    },
  };
};

test('every invalid key and every field is also sent to a path that does not exist', async () => {
  const each = await subject();
  const all = [...invalidKeys(each), ...proxyFields(each)].flatMap((one) => [one, ...(one.parts?.() ?? [])]);
  for (const { words, probe, missing } of all) {
    const nowhere = missing?.();
    expect(nowhere && [nowhere.method, nowhere.origin], words).toEqual([probe.method, probe.origin]);
    expect(JSON.stringify([nowhere?.target, nowhere?.headers]), words).toContain('missing-');
  }
});

test('a bundle makes the changes of all its parts, and its parts are one trick', async () => {
  const bundles = proxyFields(await subject()).filter(({ parts }) => parts);
  expect(bundles.map(trickOf)).toEqual([
    'fields that rewrite the target towards the operation',
    'fields that rewrite the target away from the operation',
    'fields of proxies with another host',
    "a browser's User-Agent and any Accept",
    'other formats in Accept',
    "a crawler's User-Agent and the fields of an EventSource",
    'a loopback address in fields of proxies',
    'a private address in fields of proxies',
    'the private address 172.17.0.1 in all fields of proxies',
    'the private address 192.168.0.1 in all fields of proxies',
    'fields of gateways, meshes and load balancers',
    'fields of proxies with underscores',
    'fields of pages, caches and conditional requests',
    'query parameters and fields of developers and of pages',
    'values that cannot be parsed',
    'Upgrade and Expect',
    'method overrides with OPTIONS',
    'method overrides with GET on OPTIONS',
  ]);
  for (const bundle of bundles) {
    const { probe } = bundle;
    const parts = bundle.parts?.() ?? [];
    // A list of media types is one field.
    const valuesOf = ({ headers }: Probe) =>
      headers.flatMap(([name, value]) => value.split(', ').map((one) => [name, one]));
    expect(parts.flatMap((part) => valuesOf(part.probe))).toEqual(valuesOf(probe));
    // What a cache may keep for others is sent with a parameter of its own.
    const parametersOf = ({ target }: Probe): readonly string[] =>
      (target.split('?')[1]?.split('&') ?? []).filter((parameter) => !parameter.startsWith('nothing-'));
    expect(parts.flatMap((part) => parametersOf(part.probe))).toEqual(parametersOf(probe));
    expect(new Set(parts.map(({ trick }) => trick))).toEqual(new Set([trickOf(bundle)]));
  }
});

test('what changes the form of an answer is asked for with the key too, and with nothing else changed', async () => {
  const each = await subject();
  const forms = proxyFields(each).filter(({ changesForm }) => changesForm);
  expect(forms.map(({ words }) => words)).toContain('a Range');
  for (const { words, probe } of forms) {
    const keyed = formControl(each, probe);
    expect(keyed.target, words).toBe(probe.target);
    expect(keyed.headers, words).toEqual([['Authorization', 'Token <API_KEY>'], ...probe.headers]);
  }
  const spelled = refusesOtherSpellings
    .probes(each)
    .filter(({ target }) => /(?<!index)\.(?:csv|xml|json)\b|[?&](?:format|callback)=/.test(target));
  expect(spelled.length).toBe(9);
  for (const probe of spelled)
    expect(formControl(each, probe)).toMatchObject({
      target: probe.target,
      headers: [['Authorization', 'Token <API_KEY>']],
    });
});

test('a quote is sent as a key by the extended probes alone', async () => {
  const quoted = (bypasses: ReturnType<typeof invalidKeys>) =>
    bypasses.filter(({ probe }) => probe.headers.some(([, value]) => value === "Token '"));
  expect(quoted(invalidKeys(await subject()))).toHaveLength(1);
  expect(quoted(invalidKeys(await subject('standard')))).toHaveLength(0);
});
