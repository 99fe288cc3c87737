import { expect, test } from '@playwright/test';
import { keyPageChecks } from '../../../src/keypage/judge.js';
import { explanations } from '../../../src/rules/explain.js';
import { rules } from '../../../src/rules/index.js';
import { settingsTable } from '../../../src/target/settings.js';

const ids = [...rules.map(({ id }) => id), ...keyPageChecks.map(({ rule }) => rule)];

test('every rule and every check of the key page is explained, in five parts that say something', () => {
  for (const id of ids) {
    const explanation = explanations.get(id);
    expect(explanation, id).toBeDefined();
    for (const part of ['asks', 'sends', 'judged', 'causes', 'fixes'] as const) {
      const texts = [explanation?.[part] ?? []].flat();
      expect(texts.length, `${id}: ${part}`).toBeGreaterThan(0);
      for (const text of texts) expect(text.length, `${id}: ${part}`).toBeGreaterThan(15);
    }
  }
});

test('nothing is explained that is not there', () => {
  const unknown = [...explanations.keys()].filter((id) => !(ids as readonly string[]).includes(id));
  expect(unknown).toEqual([]);
});

test('settings and rules that the texts name exist', () => {
  const names = new Set<string>([...settingsTable.map(({ name }) => name), 'DEFAULT_PERMISSION_CLASSES']);
  for (const [id, explanation] of explanations) {
    const text = Object.values(explanation).flat().join(' ');
    for (const [name] of text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)) expect(names, `${id} names ${name}`).toContain(name);
    for (const [name] of text.matchAll(
      /\b(?:serves|refuses|takes|reads|needs|opens|observes|shows|says|makes)-[a-z-]+\b/g,
    ))
      expect(ids, `${id} names ${name}`).toContain(name);
  }
});
