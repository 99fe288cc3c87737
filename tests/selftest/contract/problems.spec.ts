import { ContractError } from '../../../src/contract/errors.js';
import { loadContract } from '../../../src/contract/load.js';
import { documentOf, type Files, loadFiles, operationOf, problemsOf, withFiles } from '../support/documents.js';
import { expect, test } from '../support/test.js';

const head = 'openapi: 3.1.1\ninfo: {title: T, version: "1"}\n';
const silent = '      responses: {default: {description: "-"}}\n';

const cases: readonly (readonly [what: string, files: Files, problems: readonly unknown[]])[] = [
  [
    'a $ref that names nothing',
    {
      'a.yaml': `${head}paths:\n  /a:\n    get:\n      responses:\n        default:\n          $ref: '#/components/responses/No'\n`,
    },
    ['8:11 $ref "#/components/responses/No" names nothing'],
  ],
  [
    'a $ref that leads to itself',
    { 'a.yaml': `${head}paths:\n  /a:\n    $ref: '#/paths/~1a'\n` },
    ['5:5 this $ref leads back to itself and never to a value'],
  ],
  [
    'a $ref over the network',
    { 'a.yaml': `${head}paths:\n  /a:\n    $ref: 'https://example.com/x.yaml#/a'\n` },
    ['5:5 $ref "https://example.com/x.yaml" leads over the network, which is never read'],
  ],
  [
    'a $ref to an anchor',
    { 'a.yaml': `${head}paths:\n  /a:\n    $ref: '#bee'\nx-bee: { $anchor: bee }\n` },
    ['5:5 $ref "#bee" names nothing'],
  ],
  [
    'a $ref to a file that is not there',
    { 'a.yaml': `${head}paths:\n  /a:\n    $ref: 'other.yaml#/a'\n` },
    ['5:5 $ref "other.yaml" cannot be read: there is no such file'],
  ],
  [
    'a $ref where OpenAPI has none',
    { 'a.yaml': `${head}paths:\n  /a:\n    get: {$ref: 'a.yaml#/x-a'}\nx-a: {}\n` },
    ['5:11 "$ref" is not allowed in "get"'],
  ],
  ['no operations', { 'a.yaml': `${head}paths: {}\n` }, ['3:1 the document has no operations']],
  [
    'a member that is there twice',
    { 'a.yaml': `${head}paths: {}\npaths: {}\n` },
    ['4:1 the member "paths" is here twice'],
  ],
  [
    'a member that is there twice in JSON',
    { 'a.json': '{\n  "openapi": "3.1.1",\n  "info": {"title": "a:b", "title": "\\""}\n}' },
    ['3:28 the member "title" is here twice'],
  ],
  [
    'an alias of nothing',
    { 'a.yaml': 'openapi: 3.1.0\npaths:\n  /a: *b\n' },
    ['3:3 no anchor &b stands in front of the alias *b'],
  ],
  ['Swagger 2', { 'a.yaml': 'swagger: "2.0"\n' }, ['1:1 Swagger 2.0 is not supported']],
  ['a version of the future', { 'a.yaml': 'info: {}\nopenapi: 4.0.0\n' }, ['2:1 OpenAPI "4.0.0" is not supported']],
  [
    'a version that YAML takes for a number',
    { 'a.yaml': 'openapi: 3.1\n' },
    ['1:1 "openapi" must be text, for example 3.1.1, and is 3.1'],
  ],
  ['no OpenAPI', { 'a.yaml': 'hello: world\n' }, ['1:1 "openapi" is missing, so this is no OpenAPI document']],
  ['a list', { 'a.yaml': '- 1\n' }, ['1:1 an OpenAPI document is an object, and this file holds something else']],
  ['an empty file', { 'a.yaml': '' }, ['1:1 the file is empty']],
  [
    'a member that OpenAPI does not know',
    { 'a.yaml': `${head}paths:\n  /a:\n    get:\n      secuirty: []\n${silent}` },
    ['6:7 "secuirty" is not allowed in "get"'],
  ],
  [
    'a member that OpenAPI 3.0 does not know',
    {
      'a.yaml': `openapi: 3.0.3\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n      secuirty: []\n${silent}`,
    },
    ['6:7 "secuirty" is not allowed in "get"'],
  ],
  [
    'a key that is no status beside one that is',
    {
      'a.yaml': `${head}paths:\n  /a:\n    get:\n      responses:\n        20: {description: "-"}\n        default: {description: "-"}\n`,
    },
    ['7:9 "20" is not allowed in "responses"'],
  ],
  ['a missing member', { 'a.yaml': `${head}servers:\n  - description: T\npaths: {}\n` }, ['4:5 "0" lacks "url"']],
  [
    'an unknown place of an API key',
    {
      'a.yaml': `${head}paths:\n  /a:\n    get:\n${silent}components:\n  securitySchemes:\n    k:\n      type: apiKey\n      name: X\n      in: body\n`,
    },
    ['12:7 "in" must be "query" or "header" or "cookie", and is "body"'],
  ],
  ...['3.0.4', '3.1.1', '3.2.0'].flatMap((version) =>
    (
      [
        [
          'that is no kind',
          '{type: basic}',
          [expect.stringMatching(/^9:9 "type" must be "apiKey" or .*, and is "basic"$/)],
        ],
        ['without a kind', '{name: X, in: header}', ['9:5 "k" lacks "type"']],
        ['of HTTP without its scheme', '{type: http}', ['9:5 "k" lacks "scheme"']],
        [
          'of OAuth as Swagger has it',
          '{type: oauth2, flow: implicit}',
          ['9:5 "k" lacks "flows"', '9:23 "flow" is not allowed in "k"'],
        ],
        [
          'with a misspelt member',
          '{type: apiKey, nmae: X, in: header}',
          ['9:5 "k" lacks "name"', '9:23 "nmae" is not allowed in "k"'],
        ],
        [
          'with an unknown place',
          '{type: apiKey, name: X, in: headers}',
          [expect.stringMatching(/^9:32 "in" must be .*, and is "headers"$/)],
        ],
      ] as const
    ).map(
      ([what, scheme, problems]) =>
        [
          `a security scheme ${what}, in ${version}`,
          {
            'a.yaml': `openapi: ${version}\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n${silent}components:\n  securitySchemes:\n    k: ${scheme}\n`,
          },
          problems,
        ] as const,
    ),
  ),
  ...['3.0.4', '3.1.1', '3.2.0'].flatMap((version) =>
    (
      [
        [
          'of Swagger',
          '{name: q, in: body, schema: {}}',
          expect.stringMatching(/^7:21 "in" must be .*, and is "body"$/),
        ],
        ['without a schema', '{name: q, in: query}', '7:11 "q" lacks "schema"'],
        ['without a place', '{name: q, schema: {}}', '7:11 "q" lacks "in"'],
        [
          'with a schema and content',
          '{name: q, in: query, schema: {}, content: {a/b: {}}}',
          '7:11 "q" has more than one of schema, content',
        ],
        [
          'with an example and examples',
          '{name: q, in: query, schema: {}, example: 1, examples: {}}',
          '7:11 "q" has more than one of example, examples',
        ],
      ] as const
    ).map(
      ([what, parameter, problem]) =>
        [
          `a parameter ${what}, in ${version}`,
          {
            'a.yaml': `openapi: ${version}\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n      parameters:\n        - ${parameter}\n${silent}`,
          },
          [problem],
        ] as const,
    ),
  ),
  [
    'a version of two parts',
    { 'a.yaml': 'openapi: "3.0"\n' },
    ['1:1 "openapi" is "3.0", and the version of OpenAPI has three parts'],
  ],
  [
    'a credential without a scheme',
    {
      'a.yaml': `${head}paths:\n  /a:\n    get:\n${silent}components:\n  securitySchemes:\n    k:\n      type: apiKey\n      name: X\n      in: header\n      x-access-credential: Token\n`,
    },
    ['13:7 x-access-credential must name a scheme'],
  ],
  [
    'text that is no YAML',
    { 'a.yaml': 'a: [1\nb: 2\n' },
    ['2:1 Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  [
    'text whose rest reads as no YAML after a slip',
    { 'a.yaml': 'a:\n  b:\n    c: {\n      d: 1\n  }\n  e: 2\nf: 3\n' },
    ['5:3 Flow map in block collection must be sufficiently indented and end with a }'],
  ],
];

for (const [what, files, problems] of cases)
  test(`${what} is reported where it stands`, async () => {
    expect(await problemsOf(files)).toEqual(problems);
  });

for (const version of ['3.0.4', '3.1.1', '3.2.0'])
  test(`responses that nobody describes are one warning, and hide no other slip, in ${version}`, async () => {
    const text = (response: string): string =>
      `openapi: ${version}\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n      security: []\n      responses:\n        "200": ${response}\n        "404": {}\n`;
    expect(await problemsOf({ 'a.yaml': text('{}') })).toEqual([]);
    expect(await problemsOf({ 'a.yaml': text('{$reff: "#/components/responses/No"}') })).toEqual([
      '8:17 "$reff" is not allowed in "200"',
    ]);
    const slip = '{conten: {}, headres: {}}';
    expect(await problemsOf({ 'a.yaml': text(slip) })).toEqual([
      '8:17 "conten" is not allowed in "200"',
      '8:29 "headres" is not allowed in "200"',
    ]);
    await withFiles({ 'a.yaml': text('{}') }, async (path) => {
      // OpenAPI 3.2 asks for none.
      const expected = version === '3.2.0' ? [] : ['"200" lacks "description", and 1 other response too'];
      expect((await loadContract(path('a.yaml'))).warnings.map(({ message }) => message)).toEqual(expected);
    });
  });

for (const version of ['3.0.4', '3.1.1', '3.2.0'])
  test(`names in paths without a slash are one warning, and their operations are not asked, in ${version}`, async () => {
    const operation = `{get: {security: [], responses: {"200": {description: A}}}}`;
    const text = `openapi: ${version}\ninfo: {title: T, version: "1"}\npaths:\n  a/: ${operation}\n  "b": ${operation}\n  /c: ${operation}\n`;
    await withFiles({ 'a.yaml': text }, async (path) => {
      const { warnings, operations, unprobed } = await loadContract(path('a.yaml'));
      expect(warnings.map(({ message }) => message)).toEqual(['"a/" is not allowed in "paths", and 1 other path too']);
      expect(operations.map((each) => each.path)).toEqual(['/c']);
      expect(unprobed.map((each) => [each.path, each.why])).toEqual([
        ['a/', 'cannot-be-sent'],
        ['b', 'cannot-be-sent'],
      ]);
    });
  });

/** What stands in a document and nothing here reads. */
for (const [what, parts, warnings] of [
  ['no version', { info: { title: 'T' } }, ['"info" lacks "version"']],
  [
    'a version that YAML takes for a number',
    { info: { title: 'T', version: 1 } },
    ['"version" must be string, and is 1'],
  ],
  ['no title', { info: { version: '1' } }, ['"info" lacks "title"']],
  ['no info', { info: undefined }, ['the document lacks "info"']],
  ['a licence without a name', { info: { title: 'T', version: '1', license: {} } }, ['"license" lacks "name"']],
  ['tags of text', { tags: ['a'] }, ['"0" must be object, and is "a"']],
  ['a summary of another type', { summary: 5 }, ['"summary" must be string, and is 5']],
  ['tags of an operation that are no list', { operation: { tags: 'a' } }, ['"tags" must be array, and is "a"']],
  ['an external document without a place', { operation: { externalDocs: {} } }, ['"externalDocs" lacks "url"']],
  ['responses without any', { operation: { responses: {} } }, ['"responses" must NOT have fewer than 1 properties']],
  [
    'a range in small letters',
    { operation: { responses: { '2xx': { description: '-' } } } },
    ['"2xx" is not allowed in "responses"'],
  ],
  [
    'a header field of an answer that has two types',
    { operation: { responses: { 200: { description: '-', headers: { X: { schema: {}, style: 'form' } } } } } },
    [expect.stringMatching(/"style"/)],
  ],
  [
    'a link that leads nowhere',
    { operation: { responses: { 200: { description: '-', links: { l: 5 } } } } },
    [expect.stringContaining('"l"')],
  ],
  [
    'a link that refers to nothing',
    { operation: { responses: { 200: { description: '-', links: { l: { $ref: '#/components/links/l' } } } } } },
    ['$ref "#/components/links/l" names nothing'],
  ],
  [
    'an answer with an example beside examples',
    {
      operation: {
        responses: { 200: { description: '-', content: { 'text/plain': { example: 'a', examples: {} } } } },
      },
    },
    ['"text/plain" has more than one of example, examples'],
  ],
  [
    'a member that a media type of an answer does not have',
    {
      operation: {
        responses: { 200: { description: '-', content: { 'text/event-stream': { description: 'Events' } } } },
      },
    },
    ['"description" is not allowed in "text/event-stream"'],
  ],
  [
    'an example beside examples in a parameter that nothing refers to',
    { components: { parameters: { p: { name: 'q', in: 'query', schema: {}, example: 1, examples: {} } } } },
    ['"p" has more than one of example, examples'],
  ],
  ['a request body without content', { operation: { requestBody: {} } }, ['"requestBody" lacks "content"']],
  [
    'a flow without scopes',
    {
      components: {
        securitySchemes: { k: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://a.example' } } } },
      },
    },
    ['"implicit" lacks "scopes"'],
  ],
  [
    'fields of another kind of object in a response and in a security scheme',
    {
      operation: { responses: { 200: { description: '-', schema: { type: 'string' } } } },
      components: {
        securitySchemes: {
          k: {
            type: 'oauth2',
            flows: { implicit: { authorizationUrl: 'https://a.example', scopes: {} } },
            scheme: 'bearer',
            bearerFormat: 'JWT',
          },
        },
      },
    },
    ['"schema" is not allowed in "200"', '"scheme" is not allowed in "k"', '"bearerFormat" is not allowed in "k"'],
  ],
] as const)
  for (const openapi of ['3.0.4', '3.1.1'])
    test(`a document of ${openapi} with ${what} is read with a warning`, async () => {
      const { operation = {}, summary, ...rest } = parts as { operation?: object; summary?: unknown };
      const get = {
        security: [],
        responses: { default: { description: '-' } },
        ...(summary === undefined ? {} : { summary }),
        ...operation,
      };
      const { warnings: told, operations } = await loadFiles({
        'a.json': JSON.parse(JSON.stringify(documentOf({ openapi, paths: { '/a': { get } }, ...rest }))),
      });
      expect(operations).toHaveLength(1);
      expect(told.map(({ message }) => message)).toEqual(warnings);
      expect(told[0]?.hint).toMatch(/^(?:The suite does not use this part|It changes nothing)/);
    });

for (const openapi of ['3.0.4', '3.1.1'])
  test(`what stands behind no value in YAML is read as empty, but for an operation and who may call it, in ${openapi}`, async () => {
    const scheme = { type: 'http', scheme: 'bearer' };
    const of = (operation: object, parts: object = {}) => ({
      'a.json': documentOf({
        openapi,
        components: { parameters: null, securitySchemes: { bearer: scheme } },
        paths: { '/a': { parameters: null, get: operation, ...parts } },
      }),
    });
    const responses = {
      200: { description: '-', content: { 'application/json': null } },
      404: { description: '-', content: null },
    };
    const { operations, warnings } = await loadFiles(of({ security: [{ bearer: null }], parameters: null, responses }));
    expect(operations).toMatchObject([{ access: 'protected', security: [{ name: 'bearer' }] }]);
    expect(operations[0]?.responses.map(({ content }) => content.length)).toEqual([1, 0]);
    const read = warnings.map(({ message, hint }) => `${message}: ${hint}`);
    expect(read.sort()).toEqual([
      '"application/json" must be object, and is null: It is read as empty.',
      '"bearer" must be array, and is null: It is read as empty.',
      '"content" must be object, and is null: It is read as empty.',
      ...Array(3).fill(
        expect.stringMatching(/^"parameters" must be (?:array|object), and is null: It is read as empty/),
      ),
    ]);
    for (const files of [
      of({ security: null, responses }),
      of({ security: [null], responses }),
      of({}, { post: null }),
    ])
      expect(await problemsOf(files)).toEqual(
        expect.arrayContaining([expect.stringMatching(/ must be (?:array|object), and is null/)]),
      );
  });

test('names of components are free, and an operation may use them all the same', async () => {
  const asked = {
    '/a': { get: operationOf({ security: [{ 'my key': [] }], parameters: [{ $ref: '#/components/parameters/$q' }] }) },
  };
  const { operations, warnings } = await loadFiles({
    'a.yaml': documentOf({
      paths: asked,
      components: {
        parameters: { $q: { name: 'q', in: 'query', required: true, schema: { type: 'string' }, example: 'x' } },
        securitySchemes: { 'my key': { type: 'http', scheme: 'bearer' } },
      },
    }),
  });
  expect(operations).toMatchObject([{ target: '/a?q=x', security: [{ name: 'my key' }] }]);
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^the name "\$q" in "parameters" must match/),
    expect.stringMatching(/^the name "my key" in "securitySchemes" must match/),
  ]);
});

test('a component that an operation, or a file beside, may use has to be right', async () => {
  const p = { name: 'q', in: 'query', schema: {}, example: 1, examples: {} };
  const using = ($ref: string) =>
    problemsOf({
      'a.yaml': documentOf({
        paths: { '/a': { get: operationOf({ parameters: [{ $ref }] }) } },
        components: { parameters: { p } },
      }),
      'b.yaml': { q: { name: 'q', in: 'query', schema: {} } },
    });
  for (const $ref of ['#/components/parameters/p', '#/components/parameters/%70', 'b.yaml#/q'])
    expect(await using($ref), $ref).toEqual([expect.stringContaining('"p" has more than one of example, examples')]);
});

test('a slip in JSON is reported where it stands', async () => {
  const [problem] = await problemsOf({ 'a.json': '{\n  "openapi": "3.1.1",\n  "info": nothing\n}' });
  expect(problem).toMatch(/^3:\d+ not JSON: /);
});

test('a file that is not there is one helpful line', async () => {
  const failure = loadContract('no/such/file.yaml');
  await expect(failure).rejects.toThrow(ContractError);
  await expect(failure).rejects.toThrow('no/such/file.yaml:1:1 there is no such file');
});

test('a message says what all alternatives allow', async () => {
  const text = `openapi: 3.0.4\ninfo: {title: T, version: "1"}\npaths:\n  /a:\n    get:\n      parameters: [{name: q, in: body, schema: {}}]\n${silent}components:\n  securitySchemes:\n    key: {type: basic}\n`;
  await withFiles({ 'a.yaml': text }, async (path) => {
    const loading = loadContract(path('a.yaml'));
    await expect(loading).rejects.toThrow('"in" must be "path" or "query" or "header" or "cookie", and is "body"');
    await expect(loading).rejects.toThrow('"apiKey" or "http" or "oauth2" or "openIdConnect", and is "basic"');
  });
});

test('problems with the same words are told once, with every place', async () => {
  const read = (path: string): string => `  ${path}:\n    get:\n      x-access-owned: maybe\n${silent}`;
  const text = `${head}paths:\n${read('/a')}${read('/b')}${read('/c')}components:\n  securitySchemes:\n    key: {type: apiKey, name: X, in: header}\n`;
  await withFiles({ 'a.yaml': text }, async (path) => {
    const failure = await loadContract(path('a.yaml')).catch((error: unknown) => error);
    if (!(failure instanceof ContractError)) throw failure;
    expect(failure.problems.map(({ line }) => line)).toEqual([6, 10, 14]);
    expect(failure.message.match(/must be true or false/g)).toHaveLength(1);
    expect(failure.message).toContain(
      'a.yaml:6:7 x-access-owned must be true or false (and at 2 more places: 10:7, 14:7)',
    );
  });
});

test('text that is no YAML comes with what to look for', async () => {
  await withFiles({ 'a.yaml': 'a: [1\nb: 2\n' }, async (path) => {
    await expect(loadContract(path('a.yaml'), { keys: [] })).rejects.toThrow('The slip may be in a line before.');
  });
});
