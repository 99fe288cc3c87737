import { stringify } from 'yaml';
import { parseYaml } from '../../../src/contract/yaml-parser.js';
import { YamlText } from '../../../src/contract/yaml-text.js';
import { documentOf, loadFiles, operationOf, problemsOf } from '../support/documents.js';
import { expect, someOfTable, test } from '../support/test.js';

/** Without it, `yaml` writes what is there twice as an alias. */
const unshared = { aliasDuplicateObjects: false };

/** Long, so that few operations make a large document. */
const description = 'Text of two lines,\n  with: a colon, # no comment\n\n- and a dash\n'.repeat(10);

/** A document of about a megabyte. */
const largeDocument = (operations = 400): object => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/id' } }];
  const responses = {
    200: { description, content: { 'application/json': { schema: { $ref: '#/components/schemas/thing' } } } },
  };
  const paths = Array.from({ length: operations }, (_, index) => [
    `/api/v2/things${index}/{id}/`,
    { get: operationOf({ operationId: `getThing${index}`, description, tags: ['a', 'b'], parameters, responses }) },
  ]);
  const things = Array.from({ length: 300 }, (_, index) => [
    `thing${index}`,
    { type: 'object', description, properties: { a: { type: 'string' } } },
  ]);
  return documentOf({
    servers: [{ url: 'https://api.test-host.org' }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: { id: { type: 'integer', default: 3 }, thing: { type: 'object' }, ...Object.fromEntries(things) },
    },
  });
};

const some = someOfTable();
for (const [what, options] of [
  ['block scalars', {}],
  ['folded lines in quotes', { defaultStringType: 'QUOTE_DOUBLE', lineWidth: 30 }],
  ['lists that are not indented', { indentSeq: false }],
  ['four columns a level', { indent: 4 }],
] as const)
  test(`a large document with ${what} is read in parts as it is read whole`, some(), () => {
    const text = stringify(largeDocument(), { ...unshared, ...options });
    expect(text.length).toBeGreaterThan(600_000);
    const parts = new YamlText(`# one\n---\n${text}`);
    const whole = parseYaml(`# one\n---\n${text}`);
    expect(parts.problems).toEqual([]);
    expect(JSON.stringify(parts.value)).toBe(JSON.stringify(whole.value));
    for (const path of [
      ['paths', '/api/v2/things390/{id}/', 'get', 'responses', '200', 'content'],
      ['paths', '/api/v2/things7/{id}/', 'get', 'tags', 1],
      ['components', 'schemas', 'thing299', 'properties', 'a', 'type'],
      ['servers', 0, 'url'],
    ]) {
      let place = whole.position;
      for (const key of path) place = place.members?.get(String(key)) ?? place;
      expect(parts.offsetOf(path), path.join(' ')).toBe(place.start);
    }
  });

/** Written once: writing it takes longer than reading it. */
let written: string | undefined;
const largeText = (): string => {
  written ??= stringify(largeDocument(), unshared);
  return written;
};

test('anchors and flow mappings make a large document be read whole', () => {
  const text = largeText();
  const shared = `${text}x-a: &a {n: 1}\n${'x-pad: 1\n'.replace('pad', 'p')}x-b: *a\n`;
  expect(new YamlText(shared).value).toMatchObject({ 'x-b': { n: 1 } });
  const flow = `{"info": ${JSON.stringify('x'.repeat(600_000))}}`;
  expect(new YamlText(flow).problems).toEqual([]);
});

test('faults of a large document are reported where they stand', () => {
  const text = largeText();
  const line = (offset: number | undefined, of: string): number => of.slice(0, offset).split('\n').length;
  const twice = text.replace('/api/v2/things350/{id}/', '/api/v2/things3/{id}/');
  const [double] = new YamlText(twice).problems;
  expect(double?.message).toBe('the member "/api/v2/things3/{id}/" is here twice');
  expect(line(double?.offset, twice)).toBe(line(text.indexOf('/api/v2/things350/'), text));
  const broken = text.replace('operationId: getThing300', 'operationId: [getThing300');
  const [slip] = new YamlText(broken).problems;
  expect(line(slip?.offset, broken) - line(broken.indexOf('[getThing300'), broken)).toBeLessThanOrEqual(1);
});

test('many aliases are read, and a bomb of them is refused', () => {
  const many = `a: &a {n: 1}\n${Array.from({ length: 1_000 }, (_, index) => `k${index}: *a\n`).join('')}`;
  expect(parseYaml(many).problems).toEqual([]);
  const levels = Array.from(
    { length: 9 },
    (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index},`.repeat(9)}]\n`,
  );
  expect(parseYaml(`l0: &l0 [x]\n${levels.join('')}`).problems).toMatchObject([
    { message: expect.stringContaining('alias') },
  ]);
});

test('a document that contains itself is refused', async () => {
  expect(await problemsOf({ 'a.yaml': 'a: &a\n  b: *a\n' })).toEqual(['1:1 an alias in this document contains itself']);
});

test('eight hundred operations load, from JSON and from YAML, with the same result', async () => {
  const document = largeDocument(800);
  const json = await loadFiles({ 'a.json': document });
  const yaml = await loadFiles({ 'a.yaml': document });
  expect(json.operations).toHaveLength(800);
  const told = ({ operations }: typeof json): unknown =>
    operations.map(({ id, target, access }) => [id, target, access]);
  expect(told(yaml)).toEqual(told(json));
});
