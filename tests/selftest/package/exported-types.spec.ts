import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { packageRoot } from '../../../src/package.js';
import { expect, test } from '../support/test.js';

/** A declaration: its file and the name that it has there. */
type Place = readonly [file: string, name: string];

interface Declarations {
  /** Types that each declaration of the file mentions. */
  readonly mentions: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names that come from other files of the package. */
  readonly imports: ReadonlyMap<string, Place>;
  readonly exports: ReadonlyMap<string, Place>;
}

const resolved = (file: string, source: string): string => join(dirname(file), source.replace(/\.js$/, '.d.ts'));

type Statement = ReturnType<typeof parseSync>['program']['body'][number];

/** The name at the left of `A.B.C`. */
const leftmost = (name: { readonly type: string; readonly left?: unknown; readonly name?: unknown }): string => {
  if (name.type === 'TSQualifiedName') return leftmost(name.left as Parameters<typeof leftmost>[0]);
  return typeof name.name === 'string' ? name.name : '';
};

/** Types that a statement mentions, its own type parameters and values (`typeof`) left out. */
const mentionedIn = (statement: Statement): ReadonlySet<string> => {
  const names = new Set<string>();
  const parameters = new Set<string>();
  new Visitor({
    TSTypeReference: ({ typeName }) => void names.add(leftmost(typeName)),
    TSInterfaceHeritage: ({ expression }) => void names.add(leftmost(expression)),
    TSClassImplements: ({ expression }) => void names.add(leftmost(expression)),
    ClassDeclaration: ({ superClass }) => void (superClass && names.add(leftmost(superClass))),
    TSTypeParameter: ({ name }) => void parameters.add(name.name),
    TSMappedType: ({ key }) => void parameters.add(key.name),
  }).visit({ type: 'Program', body: [statement], sourceType: 'module', hashbang: null, start: 0, end: 0 });
  return new Set([...names].filter((name) => !parameters.has(name)));
};

const declaredNames = (statement: Statement): readonly string[] => {
  if (statement.type === 'VariableDeclaration')
    return statement.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in statement && statement.id?.type === 'Identifier' ? [statement.id.name] : [];
};

const read = (file: string): Declarations => {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
  expect(errors, file).toEqual([]);
  const mentions = new Map<string, Set<string>>();
  const imports = new Map<string, Place>();
  const exports = new Map<string, Place>();
  const declare = (statement: Statement): readonly string[] => {
    const names = declaredNames(statement);
    for (const name of names) mentions.set(name, new Set([...(mentions.get(name) ?? []), ...mentionedIn(statement)]));
    return names;
  };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      if (!statement.source.value.startsWith('.')) continue;
      for (const specifier of statement.specifiers)
        if (specifier.type === 'ImportSpecifier' && specifier.imported.type === 'Identifier')
          imports.set(specifier.local.name, [resolved(file, statement.source.value), specifier.imported.name]);
    } else if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration) for (const name of declare(statement.declaration)) exports.set(name, [file, name]);
      const from = statement.source ? resolved(file, statement.source.value) : file;
      for (const { local, exported } of statement.specifiers)
        if (local.type === 'Identifier' && exported.type === 'Identifier')
          exports.set(exported.name, [from, local.name]);
    } else declare(statement);
  }
  return { mentions, imports, exports };
};

test('nothing that is exported mentions a type that is not', () => {
  const index = join(packageRoot, 'dist', 'src', 'index.d.ts');
  const files = new Map<string, Declarations>();
  const declarationsIn = (file: string): Declarations => {
    const known = files.get(file) ?? read(file);
    files.set(file, known);
    return known;
  };
  /** Where a name is declared that a file has, imports or exports again. */
  const declarationOf = (file: string, name: string): Place | undefined => {
    const { mentions, imports, exports } = declarationsIn(file);
    if (mentions.has(name)) return [file, name];
    const [from, original] = imports.get(name) ?? exports.get(name) ?? [];
    return from === undefined || original === undefined ? undefined : declarationOf(from, original);
  };
  const placeName = ([file, name]: Place): string => `${relative(dirname(index), file)} ${name}`;
  const exported = [...declarationsIn(index).exports.keys()].map((name) => {
    const place = declarationOf(index, name);
    if (!place) throw new Error(`${name} is declared nowhere`);
    return place;
  });
  const known = new Set(exported.map(placeName));
  const missing = exported.flatMap((place) =>
    [...(declarationsIn(place[0]).mentions.get(place[1]) ?? [])].flatMap((name) => {
      const mentioned = declarationOf(place[0], name);
      return mentioned && !known.has(placeName(mentioned)) ? [`${placeName(mentioned)}, in ${place[1]}`] : [];
    }),
  );
  expect(exported.length).toBeGreaterThan(50);
  expect(missing).toEqual([]);
});
