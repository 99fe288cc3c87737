import type { Tree } from './data.js';
import { isObject, mediaTypes, written } from './formats.js';
import { type LanguageName, languages } from './languages.js';
import { type Random, randomOf, uuidOf } from './random.js';
import type { Answer } from './refusals.js';
import { type Service, serviceOf } from './service.js';
import type { Spec } from './spec.js';

/** Changes of everything that a service answers, none of which makes an opening of a refusal. */

/** `of`: of the exchange. */
type Change = (answer: Answer, of: Random) => Answer;

interface Parsed {
  readonly tree: Tree;
  /** What stands around the JSON of a script. */
  readonly before: string;
  readonly after: string;
}

const treeIn = ({ contentType = '', body }: Answer): Parsed | undefined => {
  if (!/json|javascript/.test(contentType) || contentType.includes('ndjson')) return undefined;
  const [, before = '', text = body, after = ''] = /^(\/\*\*\/\w+\()(.*)(\);)$/s.exec(body) ?? [];
  try {
    return { tree: JSON.parse(text), before, after };
  } catch {
    return undefined;
  }
};

/** Changes the tree of every JSON body, of a script too. */
const ofTrees =
  (change: (tree: Tree, of: Random) => Tree): Change =>
  (answer, of) => {
    const parsed = treeIn(answer);
    return parsed
      ? { ...answer, body: `${parsed.before}${JSON.stringify(change(parsed.tree, of))}${parsed.after}` }
      : answer;
  };

const deep = (tree: Tree, change: (inner: Tree) => Tree): Tree => {
  if (Array.isArray(tree)) return change(tree.map((item) => deep(item, change)));
  if (isObject(tree))
    return change(Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, deep(value, change)])));
  return change(tree);
};

const renamed = (nameOf: (name: string) => string): Change =>
  ofTrees((tree) =>
    deep(tree, (inner) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([name, value]) => [nameOf(name), value])) : inner,
    ),
  );

const errorNames = ['error', 'message', 'code', 'detail', 'status', 'errors', 'reason', 'fault', 'denied', 'invalid'];

const errorName = (name: string): string =>
  `${randomOf(name).pick(errorNames)}_${randomOf(name)
    .int(0, 9_999)
    .toString(36)
    .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))}`;

const isScalar = (tree: Tree): boolean => !isObject(tree) && !Array.isArray(tree);

/** A row has cells of one value each. */
const fitsCsv = (tree: Tree): boolean =>
  Array.isArray(tree)
    ? tree.every((row) => isObject(row) && fitsCsv(row))
    : isObject(tree) && Object.values(tree).every(isScalar);

const inFormat =
  (format: 'xml' | 'ndjson' | 'csv'): Change =>
  (answer) => {
    const parsed = treeIn(answer);
    return parsed?.before === '' && (format !== 'csv' || fitsCsv(parsed.tree))
      ? { ...answer, contentType: mediaTypes[format], body: written(parsed.tree, format) }
      : answer;
  };

const changed =
  (change: Change) =>
  (spec: Spec): Service => {
    const service = serviceOf(spec);
    return { ...service, answer: (ask) => change(service.answer(ask), randomOf(`${spec.seed} ${ask.id} relation`)) };
  };

const respecified =
  (change: (spec: Spec) => Partial<Spec>) =>
  (spec: Spec): Service =>
    serviceOf({ ...spec, ...change(spec) });

const wordsIn = (language: LanguageName, seed: string): string => randomOf(seed).pick(languages[language].refusals);

const others: Readonly<Record<LanguageName, LanguageName>> = {
  english: 'german',
  german: 'japanese',
  spanish: 'russian',
  japanese: 'english',
  russian: 'spanish',
  errorLike: 'english',
  short: 'spanish',
};

export const relations: Readonly<Record<string, (spec: Spec) => Service>> = {
  'members renamed': changed(renamed((name) => `x${[...name].reverse().join('')}`)),
  'error-like names for everything': changed(renamed(errorName)),
  'another language': respecified(({ language, seed }) => ({
    language: others[language],
    words: wordsIn(others[language], seed),
  })),
  'volatile members added': changed(
    ofTrees((tree, of) =>
      isObject(tree) ? { ...tree, nonce: uuidOf(of), at: new Date().toISOString(), load: of.int(0, 9_999) } : tree,
    ),
  ),
  'wrapped without a constant': changed(ofTrees((tree) => ({ envelope: tree }))),
  'wrapped with constants': changed(
    ofTrees((tree) => ({ api: 'fitness', version: '3.4.1', released: '2024-03-02T08:00:00Z', envelope: tree })),
  ),
  'null members added': changed(
    ofTrees((tree) => deep(tree, (inner) => (isObject(inner) ? { ...inner, extra: null } : inner))),
  ),
  'large numbers shifted': changed(
    ofTrees((tree) =>
      deep(tree, (inner) =>
        typeof inner === 'number' && Number.isInteger(inner) && inner >= 1_000 ? inner + 7_000_000 : inner,
      ),
    ),
  ),
  'a byte order mark': changed((answer) => (treeIn(answer) ? { ...answer, body: `\ufeff${answer.body}` } : answer)),
  indentation: changed((answer) => {
    const parsed = treeIn(answer);
    if (!parsed) return answer;
    return { ...answer, body: `${parsed.before}${JSON.stringify(parsed.tree, null, 4)}${parsed.after}\n` };
  }),
  'a wrong media type': changed((answer) => (treeIn(answer) ? { ...answer, contentType: 'text/html' } : answer)),
  'no media type': changed(({ contentType: _, ...answer }) => answer),
  'JSON as XML': changed(inFormat('xml')),
  'JSON as NDJSON': changed(inFormat('ndjson')),
  'JSON as CSV': changed(inFormat('csv')),
  'rows reordered': changed(
    ofTrees((tree, of) =>
      deep(tree, (inner) => (Array.isArray(inner) && inner.some(isObject) ? of.shuffled(inner) : inner)),
    ),
  ),
  'other words in refusals': respecified(({ language, seed }) => ({ words: wordsIn(language, `${seed} other`) })),
};
