import { explanations, rules } from '../../../src/rules/index.js';
import { settingsTable } from '../../../src/settings/settings.js';
import { expect, test } from '../support/test.js';

const ids = rules.map(({ id }) => id);

test('every rule is explained, in five parts that say something', () => {
  for (const id of ids) {
    const explanation = explanations.get(id);
    const parts = (['asks', 'sends', 'judged', 'causes', 'fixes'] as const).filter((part) => {
      const texts = [explanation?.[part] ?? []].flat();
      return texts.length > 0 && texts.every((text) => text.length > 15);
    });
    expect(parts, id).toHaveLength(5);
  }
});

test('nothing is explained that is not there', () => {
  const unknown = [...explanations.keys()].filter((id) => !(ids as readonly string[]).includes(id));
  expect(unknown).toEqual([]);
});

test('settings and rules that the texts name exist', () => {
  const names = new Set<string>([...settingsTable.map(({ name }) => name), 'DEFAULT_PERMISSION_CLASSES']);
  const known = (name: string): boolean => names.has(name) || (ids as readonly string[]).includes(name);
  const unknown = [...explanations].flatMap(([id, explanation]) => {
    const text = Object.values(explanation).flat().join(' ');
    const named = [
      ...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g),
      ...text.matchAll(/\b(?:serves|refuses|takes|reads|needs|opens|observes|shows|says|makes)-[a-z-]+\b/g),
    ].map(([name]) => name);
    return named.filter((name) => !known(name)).map((name) => `${id} names ${name}`);
  });
  expect(unknown).toEqual([]);
});
