import { stringify } from 'yaml';
import { Problems } from '../../../src/contract/node.js';
import { applyOverlays } from '../../../src/contract/overlay.js';
import { readSource } from '../../../src/contract/source.js';
import { documentOf, loadFiles, operationOf, problemsOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const overlayOf = (actions: readonly object[], overlay = '1.1.0'): object => ({
  overlay,
  info: { title: 'O', version: '1' },
  actions,
});

const apply = (
  document: object,
  ...overlays: readonly object[]
): Promise<{ value: unknown; warnings: readonly string[] }> => {
  const names = overlays.map((_overlay, index) => `o${index}.yaml`);
  const files = Object.fromEntries(overlays.map((overlay, index) => [`o${index}.yaml`, overlay]));
  return withFiles({ 'a.yaml': document, ...files }, async (path) => {
    const problems = new Problems();
    const { value } = applyOverlays(readSource(path('a.yaml')), names.map(path).join(', '), problems);
    const warnings = problems.warnings.map(({ line, message }) => `${line} ${message}`);
    problems.throwErrors();
    return { value, warnings };
  });
};

for (const [what, document, actions, expected] of [
  [
    'members are merged deeply',
    { a: { b: 1, c: 2 } },
    [{ target: '$', update: { a: { c: 3, d: 4 } } }],
    { a: { b: 1, c: 3, d: 4 } },
  ],
  ['lists are joined', { a: [1] }, [{ target: '$', update: { a: [2, 3] } }], { a: [1, 2, 3] }],
  ['a list is added to a list that the target selects', { a: [1] }, [{ target: '$.a', update: [2] }], { a: [1, 2] }],
  [
    'anything else is put at the end of a selected list',
    { a: [1] },
    [{ target: '$.a', update: { b: 2 } }],
    { a: [1, { b: 2 }] },
  ],
  ['a scalar is replaced', { a: { b: 1 } }, [{ target: '$.a.b', update: 'x' }], { a: { b: 'x' } }],
  [
    'several targets get the same',
    { a: { x: {} }, b: { x: {} } },
    [{ target: '$.*.x', update: { y: 1 } }],
    { a: { x: { y: 1 } }, b: { x: { y: 1 } } },
  ],
  ['a member is removed', { a: { b: 1, c: 2 } }, [{ target: '$.a.b', remove: true }], { a: { c: 2 } }],
  [
    'items are removed by what they hold',
    { a: [{ n: 1 }, { n: 2 }, { n: 1 }] },
    [{ target: '$.a[?@.n == 1]', remove: true }],
    { a: [{ n: 2 }] },
  ],
  [
    'scalars are removed from lists',
    { a: ['x', 'y', 'x', 'z'] },
    [{ target: "$.a[?@ == 'x']", remove: true }],
    { a: ['y', 'z'] },
  ],
  [
    'descendants are found',
    { a: { r: { 500: 1, 200: 2 } }, b: { r: { 500: 3 } } },
    [{ target: "$..r['500']", remove: true }],
    { a: { r: { 200: 2 } }, b: { r: {} } },
  ],
  ['remove goes before update', { a: { b: 1 } }, [{ target: '$.a', update: { b: 2 }, remove: true }], {}],
  [
    'actions follow one another',
    { a: 1 },
    [
      { target: '$.a', remove: true },
      { target: '$', update: { a: [1] } },
    ],
    { a: [1] },
  ],
  [
    'names with quotes and line ends work',
    { "it's\n": { a: 1 } },
    [{ target: '$.*', update: { b: 2 } }],
    { "it's\n": { a: 1, b: 2 } },
  ],
  ['a member without a value changes nothing', { tags: [1] }, [{ target: '$', update: { tags: null } }], { tags: [1] }],
] as const)
  test(`${what}`, async () => {
    expect(await apply(document, overlayOf(actions))).toEqual({ value: expected, warnings: [] });
  });

test('an alias of YAML is not changed in two places', async () => {
  const document = 'a: &x {n: 1}\nb: *x\n';
  const { value } = await withFiles(
    { 'a.yaml': document, 'o.yaml': overlayOf([{ target: '$.a', update: { n: 2 } }]) },
    async (path) => applyOverlays(readSource(path('a.yaml')), path('o.yaml'), new Problems()),
  );
  expect(value).toEqual({ a: { n: 2 }, b: { n: 1 } });
});

test('several overlays apply in order', async () => {
  const { value } = await apply(
    {},
    overlayOf([{ target: '$', update: { a: 1 } }]),
    overlayOf([{ target: '$', update: { a: 2 } }], '1.0.0'),
  );
  expect(value).toEqual({ a: 2 });
});

test('an action that matches nothing is named with its line', async () => {
  const { value, warnings } = await apply(
    { a: 1 },
    overlayOf([
      { target: '$', update: {} },
      { target: '$.b', update: {} },
    ]),
  );
  expect(value).toEqual({ a: 1 });
  expect(warnings).toEqual(['8 this action matches nothing: $.b selects no value of the document']);
});

test('a name of a list that matches nothing is named, and one below any depth is not', async () => {
  const { value, warnings } = await apply(
    { a: { x: 1 }, b: {} },
    overlayOf([
      { target: "$['a','c']", update: { y: 2 } },
      { target: "$..['a','c']", update: { z: 3 } },
    ]),
  );
  expect(value).toEqual({ a: { x: 1, y: 2, z: 3 }, b: {} });
  expect(warnings).toEqual(["6 a part of this target matches nothing: 'c'"]);
});

test('an empty list that would take nothing away is named, and the way that does', async () => {
  const closed = { get: { security: [{ key: [] }] } };
  const open = { target: '$.a.get', update: { security: [] } };
  const { value, warnings } = await apply({ a: closed }, overlayOf([open]));
  expect(value).toEqual({ a: closed });
  expect(warnings).toEqual(['7 an empty list changes nothing here: an update adds to the list that is there']);
  expect(await apply({ a: closed }, overlayOf([{ target: '$.a.get.security', remove: true }, open]))).toEqual({
    value: { a: { get: { security: [] } } },
    warnings: [],
  });
});

test('security requirements that only add a way in are named, and the way that replaces them', async () => {
  const anyKey = { get: { security: [{ key: [] }] } };
  const roles = { target: '$.a', update: { get: { security: [{ key: ['admin'] }] } } };
  const warning = 'this adds to the security requirements that are there, and each of them is enough';
  expect(await apply({ a: anyKey }, overlayOf([roles]))).toEqual({
    value: { a: { get: { security: [{ key: [] }, { key: ['admin'] }] } } },
    warnings: [`7 ${warning}`],
  });
  const appended = { target: '$.a.get.security', update: { key: ['admin'] } };
  expect((await apply({ a: anyKey }, overlayOf([appended]))).warnings).toEqual([`7 ${warning}`]);
  expect(await apply({ a: anyKey }, overlayOf([{ target: '$.a.get.security', remove: true }, roles]))).toEqual({
    value: { a: { get: { security: [{ key: ['admin'] }] } } },
    warnings: [],
  });
  expect((await apply({ a: { get: { security: [] } } }, overlayOf([roles]))).warnings).toEqual([]);
});

test('an action that matches nothing is told also when something else is wrong', async () => {
  const overlay = overlayOf([
    { target: "$.paths['/thing']", update: {} },
    { target: '$.info', update: { title: 5 }, remove: true },
    { target: '$.openapi', update: '4.0.0' },
  ]);
  for (const [files, parameters, problem] of [
    [{ 'a.yaml': documentOf({}), 'o.yaml': overlay }, undefined, 'OpenAPI "4.0.0" is not supported'],
    [
      { 'a.yaml': documentOf({}), 'o.yaml': overlayOf([{ target: '$.nowhere', remove: true }]), 'p.yaml': '[' },
      'p.yaml',
      'p.yaml',
    ],
  ] as const) {
    const failure = loadFiles(files, { overlay: ['o.yaml'], ...(parameters ? { parameters } : {}) });
    await expect(failure).rejects.toThrow(problem);
    await expect(failure).rejects.toThrow(/^warning: .*o\.yaml:6:\d+ this action matches nothing: /m);
    await expect(failure).rejects.toMatchObject({ warnings: [{ line: 6 }] });
  }
});

for (const [what, overlay, problem] of [
  [
    'no version',
    { actions: [] },
    '1:1 "overlay" must name the version of the Overlay Specification, and there is none',
  ],
  [
    'another version',
    { overlay: '2.0.0', actions: [] },
    '1:1 "overlay" must name the version of the Overlay Specification, and it is "2.0.0"',
  ],
  ['no actions', { overlay: '1.0.0', actions: [] }, '2:1 "actions" must be a list with at least one action'],
  ['no JSONPath', overlayOf([{ target: '$[', update: {} }]), /^6:5 "\$\[" is no JSONPath expression: /],
  ['no target', overlayOf([{ update: {} }]), /^6:5 the target must be a JSONPath expression/],
  ['a slip in an action', overlayOf([{ target: '$', udpate: {} }]), '7:5 "udpate" is not allowed in an action'],
  [
    'unlike targets',
    overlayOf([{ target: '$.*', update: {} }]),
    '6:5 the target selects a primitive value and an object',
  ],
  [
    'what cannot be merged',
    overlayOf([{ target: '$', update: { info: [] } }]),
    '6:5 the action does not fit its target: "info" is an object in the document and an array in the overlay',
  ],
  [
    'removing everything',
    overlayOf([{ target: '$', remove: true }]),
    '6:5 the action does not fit its target: the root of the document cannot be removed',
  ],
  ['copy', overlayOf([{ target: '$.info', copy: '$.info' }]), '7:5 "copy" is not allowed in an action'],
] as const)
  test(`an overlay with ${what} is refused where it stands`, async () => {
    const [first] = await problemsOf({ 'a.yaml': documentOf({}), 'o.yaml': overlay }, { overlay: ['o.yaml'] });
    expect(first?.replace(/^o\.yaml:/, '')).toMatch(
      typeof problem === 'string' ? new RegExp(`^${problem.replace(/[$.*[\]()"]/g, '\\$&')}$`) : problem,
    );
  });

test('what an overlay adds points into the overlay, and the rest into the document', async () => {
  const document = documentOf({ paths: { '/a': { get: operationOf() }, '/b': { get: operationOf() } } });
  const overlay = overlayOf([
    { target: "$.paths['/a']", remove: true },
    { target: '$.paths', update: { '/c': { get: operationOf({ security: [{ k: [] }] }) } } },
  ]);
  const files = { 'a.yaml': document, 'o.yaml': overlay };
  const [undefinedScheme] = (await loadFiles(files, { overlay: ['o.yaml'] })).warnings;
  expect(undefinedScheme).toMatchObject({ line: 13, column: 15, message: expect.stringContaining('"k"') });
  expect(undefinedScheme?.file).toMatch(/o\.yaml$/);
  const scheme = overlayOf([
    { target: '$', update: { components: { securitySchemes: { k: { type: 'http', scheme: 'bearer' } } } } },
  ]);
  const contract = await loadFiles({ ...files, 'p.yaml': scheme }, { overlay: ['o.yaml', 'p.yaml'] });
  expect(
    contract.operations.map(({ id, position }) => [id, position.file.split(/[\\/]/).at(-1), position.line]),
  ).toEqual([
    ['GET /b', 'a.yaml', 13],
    ['GET /c', 'o.yaml', 11],
  ]);
});

test('the digest is that of the document as judged', async () => {
  const files = {
    'a.yaml': stringify(documentOf({})),
    'o.yaml': overlayOf([{ target: '$.info', update: { title: 'U' } }]),
  };
  expect((await loadFiles(files)).sha256).not.toBe((await loadFiles(files, { overlay: ['o.yaml'] })).sha256);
});
