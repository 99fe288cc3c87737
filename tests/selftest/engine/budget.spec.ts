import { groupBy } from '../../../src/collections.js';
import { loadContract } from '../../../src/contract/load.js';
import { allot, isUnspread, sharesOf } from '../../../src/engine/budget/budget.js';
import { planSize } from '../../../src/engine/budget/plan-size.js';
import { countRequests } from '../../../src/engine/budget/request-counts.js';
import { leastCopies } from '../../../src/engine/budget/spread-tricks.js';
import { deviate, staleDeviations } from '../../../src/engine/deviations.js';
import { type Check, planOf } from '../../../src/engine/plan.js';
import { asset } from '../../../src/package.js';
import { headTrick } from '../../../src/rules/bypass/other-methods.js';
import type { Deployment } from '../../../src/rules/rule.js';
import { requestFor } from '../../../src/rules/support/requests.js';
import type { Exchange, Probe } from '../../../src/wire/types.js';
import { catchesOf, judgeGated } from '../../generator/gated-runs.js';
import {
  deployment,
  gatedService,
  type SeededFault,
  type TrickName,
  tricksOf,
} from '../../generator/gated-services.js';
import { judgeReference } from '../support/judge.js';
import { expect, inCi, inFull, sample, test } from '../support/test.js';

/** What a run sends where not everything goes to every operation. Services are in memory. */

const spread = { probes: 'spread' } as const;
const idsOf = ({ contract }: { readonly contract: { readonly operations: readonly { readonly id: string }[] } }) =>
  contract.operations.map(({ id }) => id);

const forwardedFor: TrickName = { rule: 'refuses-proxy-fields', trick: 'X-Forwarded-For with a loopback address' };

const countBy = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));

const faultAt = (operations: readonly string[], by?: TrickName): SeededFault => ({
  kind: by ? 'gate falls to a trick' : 'operation without its gate',
  ...(by ? { by } : {}),
  operations: new Set(operations),
});

test(
  'each trick goes to three operations of each gate, wherever in the path, and HEAD and a spelling to every operation',
  inCi,
  () => {
    const { contract } = gatedService('slices', { operations: 150, gates: 3, faults: () => [] });
    const { checks } = planOf(contract, deployment);
    const { gates, assigned, armed } = allot({ checks, operations: contract.operations, budget: spread });
    // The refusals of the three are not known before anything was sent, and their prefixes tell them
    // apart.
    expect(gates.map(({ operations }) => operations.length)).toEqual([50, 50, 50]);
    for (const { operations } of gates) {
      const ids = new Set(operations.map(({ id }) => id));
      const own = armed.filter(({ check }) => ids.has(check.operation) && check.clauses.length > 0);
      const namesOf = (check: Check, trick: string): readonly string[] => [
        `${check.rule.id} ${check.battery?.ways?.().get(trick) ?? trick}`,
        `${check.rule.id} at its place: ${trick}`,
      ];
      const sent = countBy(
        own.flatMap(({ check }) => [...(assigned.get(check.id) ?? [])].flatMap((each) => namesOf(check, each))),
      );
      const having = countBy(
        own.flatMap(({ check, tricks }) => [...new Set(tricks.flatMap((each) => namesOf(check, each)))]),
      );
      for (const [name, count] of having)
        expect(sent.get(name), name).toBeGreaterThanOrEqual(
          name.includes(' at its place: ') ? 1 : Math.min(leastCopies, count),
        );
    }
    for (const { id } of contract.operations)
      expect([...(assigned.get(`refuses-other-spellings@${id}`) ?? [])], id).toContain(headTrick);
    const spelled = contract.operations.filter(
      ({ id }) => (assigned.get(`refuses-other-spellings@${id}`)?.size ?? 0) > 1,
    );
    // At a few operations the other spelling that is due is HEAD itself.
    expect(spelled.length).toBeGreaterThan(0.9 * contract.operations.length);
  },
);

test('the second read with the key follows the tricks of an operation, and no other read has to', inCi, async () => {
  const service = gatedService('order', { operations: 45, gates: 1, faults: () => [] });
  const sent: Probe[] = [];
  const answer = (probe: Probe): Exchange => {
    sent.push(probe);
    return service.answer(probe);
  };
  await judgeGated({ ...service, answer }, spread);
  const [{ id = '' } = {}] = service.contract.operations;
  const own = sent.filter(({ operation, target }) => operation === id && !target.includes('nothing-'));
  const keyed = own.filter(({ name, occasion }) => name === 'with the key' && occasion === undefined);
  expect(keyed.map(({ round }) => round)).toEqual([1, 2]);
  const [first, second] = keyed.map((probe) => own.indexOf(probe));
  const tricks = own.filter(({ name }) => /^the (?:path|query)|^X-/.test(name));
  expect(tricks.length).toBeGreaterThan(0);
  for (const trick of tricks) {
    expect(own.indexOf(trick)).toBeGreaterThan(first ?? -1);
    expect(own.indexOf(trick)).toBeLessThan(second ?? -1);
  }
});

test('a spread plan whose values are not found yet says how large a whole one may get', () => {
  const { contract } = gatedService('plan size', { operations: 40, gates: 2, faults: () => [] });
  const warningOf = (placeholders: Record<string, string> | undefined): string => {
    const operations = contract.operations.map((one) => ({ ...one, ...(placeholders ? { placeholders } : {}) }));
    const { checks } = planOf({ ...contract, operations }, { ...deployment, httpBaseUrl: 'http://a.invalid' });
    return planSize(checks, operations, { probes: 'auto', concurrency: 8 }).warning ?? '';
  };
  expect(warningOf({})).toContain('a run that finds few values for parameters, with up to 2,000 requests');
  expect(warningOf(undefined)).toMatch(/sends everything to every operation$/);
});

test('a spread plan says how much each gate adds that only answers show', () => {
  const service = gatedService('several refusals', { operations: 60, gates: 4, faults: () => [] });
  const { operations } = service.contract;
  const { checks, subjects } = planOf(service.contract, deployment);
  const plan = planSize(checks, operations, { ...spread, concurrency: 8 });
  const each = Number(/each further gate that answers show adds about ([\d,]+) requests/.exec(plan.warning ?? '')?.[1]);
  const refusals = new Map(
    subjects.map((subject) => [
      subject.operation.id,
      service.answer(requestFor(subject, { name: 'without a key', credential: 'none' })),
    ]),
  );
  const { gates, assigned } = allot({ checks, operations, budget: spread, refusalOf: ({ id }) => refusals.get(id) });
  expect(gates.length).toBeGreaterThan(1);
  const more = countRequests(checks, { assigned }) - plan.requests;
  expect(more / (each * (gates.length - 1))).toBeGreaterThan(0.7);
  expect(more / (each * (gates.length - 1))).toBeLessThan(1.3);
  // Within MAX_REQUESTS, more gates add nothing.
  expect(planSize(checks, operations, { ...spread, maxRequests: 700, concurrency: 8 }).warning).not.toContain(
    'further',
  );
});

test('slices do not depend on the order of the document', () => {
  const { contract } = gatedService('same slices', { operations: 120, gates: 2, faults: () => [] });
  const turned = { ...contract, operations: [...contract.operations].reverse() };
  const of = (one: typeof contract) =>
    Object.fromEntries(
      [...allot({ checks: planOf(one, deployment).checks, operations: one.operations, budget: spread }).assigned]
        .map(([id, tricks]) => [id, [...tricks].sort()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  expect(of(turned)).toEqual(of(contract));
});

test('what opens one operation is tried on its whole gate, and on no other', inCi, async () => {
  const service = gatedService('one gate', {
    operations: 60,
    gates: 2,
    faults: (made) => [
      faultAt(
        idsOf(made).filter((id) => id.includes('/area0/')),
        forwardedFor,
      ),
    ],
  });
  const { findings, sliced } = await judgeGated(service, spread);
  for (const id of idsOf(service)) {
    const finding = findings.get(`refuses-proxy-fields@${id}`);
    if (id.includes('/area0/')) {
      expect(finding?.outcome, id).toBe('failed');
      expect(finding?.tried?.tricks, id).toContain(forwardedFor.trick);
    } else expect(['passed', 'excluded'], id).toContain(finding?.outcome);
  }
  expect(sliced?.results().map(({ tricks, tricksTried }) => tricks - tricksTried)).toEqual([0, 0]);
});

test('a cache at one operation fails the check that others name, of which nothing was to be sent', inFull, async () => {
  const service = gatedService('a cache', { operations: 60, gates: 1, faults: () => [] });
  const before = (await judgeGated(service, spread)).findings;
  const id = idsOf(service).find((one) => before.get(`refuses-leftovers@${one}`)?.outcome === 'excluded') ?? '';
  const kept = new Map<string, Exchange>();
  const answer = (probe: Probe): Exchange => {
    const exchange = service.answer(probe);
    if (probe.operation !== id || probe.method !== 'GET') return exchange;
    const place = probe.target.replaceAll(/[^a-z0-9]/g, '');
    const known = kept.get(place);
    if (known) return { ...exchange, attempts: known.attempts };
    if (exchange.attempts.at(-1)?.response?.status === 200) kept.set(place, exchange);
    return exchange;
  };
  const { findings } = await judgeGated({ ...service, answer }, spread);
  const named = [...findings.values()].filter(({ outcome }) => outcome === 'blocked');
  expect(named.map(({ blockedBy }) => blockedBy)).toContainEqual([`refuses-leftovers@${id}`]);
  expect(findings.get(`refuses-leftovers@${id}`)?.outcome).toBe('failed');
});

test('a check that sent a part of its battery says so, and one that sent nothing does not pass', inCi, async () => {
  const service = gatedService('words', { operations: 60, gates: 1, faults: () => [] });
  const { findings } = await judgeGated(service, spread);
  let sliced = 0;
  for (const { outcome, reason, tried } of findings.values()) {
    if (!tried) continue;
    sliced += 1;
    if (tried.tricks.length === 0) expect([outcome, reason]).toEqual(['excluded', expect.stringContaining('Nothing')]);
    else if (outcome === 'passed')
      expect(reason).toContain(`Tried here: ${tried.tricks.length} of ${tried.of} tricks.`);
    expect(tried.tricks.length).toBeLessThan(tried.of);
  }
  expect(sliced).toBeGreaterThan(120);
});

test('a missing gate at a single operation is seen under spread', inFull, async () => {
  for (const seed of ['a', 'b', 'c']) {
    const service = gatedService(seed, { operations: 200, faults: (made) => [faultAt(idsOf(made).slice(77, 78))] });
    expect((await catchesOf(service, spread)).caught).toEqual([true]);
  }
});

test('MAX_REQUESTS gives every operation its essential requests first, then tricks', inCi, async () => {
  const service = gatedService('budget', { operations: 40, gates: 2, faults: () => [] });
  const [least, more, all] = await Promise.all(
    [390, 520, 50_000].map((maxRequests) => catchesOf(service, { probes: 'extended', maxRequests })),
  );
  expect(least?.requests).toBeLessThanOrEqual(390);
  expect(more?.requests).toBeGreaterThan(least?.requests ?? 0);
  expect(more?.requests).toBeLessThanOrEqual(520);
  expect(all?.requests).toBeGreaterThan(6_000);
  const { findings, sliced } = await judgeGated(service, { probes: 'extended', maxRequests: 390 });
  for (const { operations, tricks, places } of sliced?.results() ?? []) {
    expect(places?.of).toBeLessThanOrEqual(tricks * operations.length);
    expect(places?.tried).toBeLessThan(0.1 * (places?.of ?? 0));
  }
  for (const id of idsOf(service)) expect(findings.get(`refuses-missing-key@${id}`)?.outcome, id).toBe('passed');
  for (const { tricks, tricksTried } of sliced?.results() ?? []) expect(tricksTried).toBeLessThan(tricks);
});

test('operations for which MAX_REQUESTS is too small are inconclusive, and say why', inCi, async () => {
  const service = gatedService('too small', { operations: 100, gates: 2, faults: () => [] });
  const { findings, sent } = await judgeGated(service, { probes: 'auto', maxRequests: 250 });
  const missed = [...findings.values()].filter(({ cause }) => cause?.id === 'budget');
  expect(new Set(missed.map(({ operation }) => operation)).size).toBeGreaterThan(50);
  expect(missed.every(({ outcome, reason }) => outcome === 'inconclusive' && reason.includes('MAX_REQUESTS'))).toBe(
    true,
  );
  expect([...findings.values()].some(({ outcome }) => outcome === 'passed')).toBe(true);
  // The plan is an estimate; the client keeps the limit to the letter.
  expect(sent).toBeLessThanOrEqual(300);
});

test(
  'a deviation is stale only where everything was sent, and a check that it names sends everything',
  inFull,
  async () => {
    const service = gatedService('stale', { operations: 120, gates: 1, faults: () => [] });
    const [id = ''] = idsOf(service);
    const entry = (check: string) => ({ check, reason: 'known', position: 'deviations.yaml:1' });
    const [one, every] = [entry(`refuses-proxy-fields@${id}`), entry('refuses-proxy-fields@*')];
    const { findings } = await judgeGated(service, spread, { isWhole: (check) => check === one.check });
    const all = [...findings.values()];
    const planned = all.map((finding) => finding.id);
    expect(findings.get(one.check)?.tried).toBeUndefined();
    expect(deviate([one], { strict: false })(all)).toEqual(all);
    expect(staleDeviations([one], planned, all)).toHaveLength(1);
    expect(staleDeviations([every], planned, all)).toHaveLength(0);
  },
);

test('a contract of the size of the shipped one sends everything, also under spread', async () => {
  const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'), {});
  const shipped: Deployment = { ...deployment, httpBaseUrl: 'http://api.example' };
  const { checks } = planOf(contract, shipped);
  expect(isUnspread(checks, { probes: 'auto' })).toBe(true);
  const { armed, assigned } = allot({ checks, operations: contract.operations, budget: spread });
  for (const { check, tricks } of armed) expect([...(assigned.get(check.id) ?? [])].sort()).toEqual([...tricks].sort());
});

test('a run sends as many requests as MAX_REQUESTS allows, and is then incomplete', async () => {
  const { results } = await judgeReference({ settings: { MAX_REQUESTS: '12' } });
  expect(results.requestsSent).toBeLessThanOrEqual(12);
  expect(results.verdict).toBe('incomplete');
});

test('operations that are judged each by itself share a limit by what the whole plan gives them', inFull, () => {
  const service = gatedService('shares', { operations: 80, gates: 2, faults: () => [] });
  const { operations } = service.contract;
  const { checks } = planOf(service.contract, deployment);
  for (const maxRequests of [100, 680, 5_000, 100_000]) {
    const shares = sharesOf({ checks, operations, budget: { probes: 'auto', maxRequests } });
    const sum = [...shares.values()].reduce((all, share) => all + share, 0);
    expect(sum).toBeLessThanOrEqual(maxRequests);
    expect(sum).toBeGreaterThan(maxRequests - shares.size - 1);
    const own = idsOf(service).map((id) => shares.get(id) ?? 0);
    // What cannot be asked takes nothing from the others.
    expect(own.filter((share) => share === 0).length > 0).toBe(maxRequests === 100);
    for (const share of own) if (share > 0) expect(share).toBeGreaterThanOrEqual(5);
  }
});

test('every trick of AUTH-3 opens an operation that falls to it', inCi, async () => {
  const operations = 4;
  const { contract } = gatedService('each trick', { operations, gates: 1, faults: () => [] });
  const [operation] = contract.operations;
  if (!operation) throw new TypeError('a contract has operations');
  for (const by of sample(tricksOf(contract, operation), 12)) {
    const service = gatedService('each trick', { operations, gates: 1, faults: () => [faultAt([operation.id], by)] });
    expect((await catchesOf(service, { probes: 'extended' })).caught, by.trick).toEqual([true]);
  }
});
