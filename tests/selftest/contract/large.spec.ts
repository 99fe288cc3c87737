import { stringify } from 'yaml';
import { parseYaml } from '../../../src/contract/yaml-parser.js';
import { documentOf, loadFiles, operationOf, problemsOf } from '../support/documents.js';
import { expect, inCi, test } from '../support/test.js';

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

/** Written once: writing it takes longer than reading it. */
let written: string | undefined;
const largeText = (): string => {
  written ??= stringify(largeDocument(), unshared);
  return written;
};

test('faults of a large document are reported where they stand', inCi, () => {
  const text = largeText();
  const line = (offset: number | undefined, of: string): number => of.slice(0, offset).split('\n').length;
  const twice = text.replace('/api/v2/things350/{id}/', '/api/v2/things3/{id}/');
  const [double] = parseYaml(twice).problems;
  expect(double?.message).toBe('the member "/api/v2/things3/{id}/" is here twice');
  expect(line(double?.offset, twice)).toBe(line(text.indexOf('/api/v2/things350/'), text));
  const broken = text.replace('operationId: getThing300', 'operationId: [getThing300');
  const [slip] = parseYaml(broken).problems;
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

test('eight hundred operations load, from JSON and from YAML, with the same result', inCi, async () => {
  const document = largeDocument(800);
  const json = await loadFiles({ 'a.json': document });
  const yaml = await loadFiles({ 'a.yaml': document });
  expect(json.operations).toHaveLength(800);
  const told = ({ operations }: typeof json): unknown =>
    operations.map(({ id, target, access }) => [id, target, access]);
  expect(told(yaml)).toEqual(told(json));
});
