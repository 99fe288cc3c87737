import { generatedSpec, judgeService, shown } from '../../generator/judged.js';
import { relations } from '../../generator/relations.js';
import { serviceOf } from '../../generator/service.js';
import type { Spec } from '../../generator/spec.js';
import { expect, test } from '../support/test.js';

/**
 * What does not change whether a service conforms must not make an opening of what it answers. `npm
 * run fuzz -- oracle` tries fresh services for `FUZZ_MS`.
 */

const { FUZZ_MS } = process.env;
/** Numbers of services, from and up to. */
const parts =
  FUZZ_MS === undefined
    ? [
        { from: 0, to: 25 },
        { from: 25, to: 100, tag: '@all' },
      ]
    : [{ from: 0, to: Number.POSITIVE_INFINITY }];

test.setTimeout(Number(FUZZ_MS ?? 0) * 2 + 600_000);
// One worker for all, since they change the same services.
test.describe.configure({ mode: 'default' });

/** Whether a service is accused as it is; judged once for all relations. */
const accusedUnchanged = new Map<string, boolean>();
const isAccused = (spec: Spec): boolean => {
  const known = accusedUnchanged.get(spec.seed) ?? judgeService(serviceOf(spec)).found === 'accused';
  accusedUnchanged.set(spec.seed, known);
  return known;
};

const each = Object.entries(relations).flatMap(([name, change]) => parts.map((part) => ({ name, change, ...part })));

for (const { name, change, from, to, tag = [] } of each)
  test(`${name}: no refusal turns into an opening (from service ${from} on)`, { tag }, () => {
    const seed = FUZZ_MS === undefined ? 'relations' : `${name} ${Date.now()}`;
    const end = Date.now() + Number(FUZZ_MS);
    const accused: string[] = [];
    for (let index = from; index < to && (FUZZ_MS === undefined || Date.now() < end); index += 1) {
      const { fault: _, ...spec } = generatedSpec(seed, index);
      // A public resource that asks for a key is a fault, whether it is seen as it is or changed.
      if (spec.publicAccess === 'needsKey' || isAccused(spec)) continue;
      const judged = judgeService(change(spec));
      if (judged.found === 'accused') accused.push(shown({ ...judged, label: 'conforming' }));
    }
    expect(accused.slice(0, 3).join('\n\n')).toBe('');
  });

/** Services that were accused once, by the relation that did it. */
const accusedOnce: Readonly<Record<string, readonly (readonly [seed: string, index: number])[]>> = {
  'error-like names for everything': [['error-like names for everything 1795724332605', 1246]],
  'null members added': [
    ['null members added 1795480805058', 1564],
    ['null members added 1795481282881', 1039],
    ['null members added 1795481282881', 7302],
  ],
  'JSON as XML': [
    ['JSON as XML 1795481518272', 8366],
    ['JSON as XML 1795483078226', 4955],
  ],
  'JSON as NDJSON': [
    ['JSON as NDJSON 1795480910932', 1629],
    ['JSON as NDJSON 1795480910932', 3541],
    ['JSON as NDJSON 1795480910932', 3980],
    ['JSON as NDJSON 1795481282644', 2319],
    ['JSON as NDJSON 1795481518268', 6656],
    ['JSON as NDJSON 1795483234724', 8678],
  ],
  'JSON as CSV': [['JSON as CSV 1795483234724', 6542]],
};

for (const [name, services] of Object.entries(accusedOnce))
  test(`${name}: services that were accused once are not`, () => {
    for (const [seed, index] of services) {
      const { fault: _, ...spec } = generatedSpec(seed, index);
      const judged = judgeService(relations[name]?.(spec) ?? serviceOf(spec));
      expect(judged.found, shown({ ...judged, label: 'conforming' })).not.toBe('accused');
    }
  });
