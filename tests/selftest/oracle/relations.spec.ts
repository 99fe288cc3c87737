import { generatedSpec, judgeService, shown } from '../../generator/judged.js';
import { relations } from '../../generator/relations.js';
import { serviceOf } from '../../generator/service.js';
import { expect, test } from '../support/test.js';

/**
 * What does not change whether a service conforms must not make an opening of what it answers. `npm run fuzz -- oracle` tries fresh
 * services for `FUZZ_MS`.
 */

const { FUZZ_MS } = process.env;
const inAll = 100;

test.setTimeout(Number(FUZZ_MS ?? 0) * 2 + 600_000);

for (const [name, change] of Object.entries(relations))
  test(`${name}: no refusal turns into an opening`, () => {
    const seed = FUZZ_MS === undefined ? 'relations' : `${name} ${Date.now()}`;
    const end = Date.now() + Number(FUZZ_MS);
    const accused: string[] = [];
    for (let index = 0; FUZZ_MS === undefined ? index < inAll : Date.now() < end; index += 1) {
      const { fault: _, ...spec } = generatedSpec(seed, index);
      if (judgeService(serviceOf(spec)).found === 'accused') continue;
      const judged = judgeService(change(spec));
      if (judged.found === 'accused') accused.push(shown({ ...judged, label: 'conforming' }));
    }
    expect(accused.slice(0, 3).join('\n\n')).toBe('');
  });
