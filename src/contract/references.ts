import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isObject, memoizePerObject } from '../collections.js';
import { percentDecoded } from '../urls.js';
import { ContractError } from './errors.js';
import { forEachObject, pathOfPointer, pointerOf, type ValuePath, valueAt } from './json-values.js';
import { type Mirror, mirrorOf } from './kept-document.js';
import { childNode, type Node, type Problems } from './node.js';
import { type ParsedFile, type ReadSource, readSource } from './source.js';
import { consequences, toleranceOfReference } from './tolerated-errors.js';

const schemeOrAuthority = /^([a-z][a-z0-9+.-]*:|\/\/)/i;
const windowsDrive = /^[a-z]:[\\/]/i;
const isAddress = (reference: string): boolean => schemeOrAuthority.test(reference) && !windowsDrive.test(reference);

const saveIt =
  'Save that document beside this one and refer to it by a relative path, or bundle both into one file. An $id is not followed.';

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    // A file that does not exist is placed by its folder; reading it reports the problem.
    const folder = dirname(path);
    return folder === path ? path : resolve(realPath(folder), relative(folder, path));
  }
};

const isIn = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** The folders that files may be read from, symbolic links resolved. */
const foldersOf = (document: string, refRoot: string | undefined) => {
  const own = refRoot ?? dirname(document);
  // The document may be a symbolic link into the folder of its files.
  const folders = refRoot === undefined ? [realPath(own), dirname(realPath(document))] : [realPath(refRoot)];
  return {
    shown: relative(process.cwd(), own) || '.',
    hold: (path: string): boolean => folders.some((folder) => isIn(folder, realPath(path))),
  };
};

/** Where a file has its anchors. The first of several with one name counts. */
const anchorsOf = memoizePerObject(({ value }: ParsedFile): ReadonlyMap<string, ValuePath> => {
  const found = new Map<string, ValuePath>();
  forEachObject(value, ({ $anchor, $dynamicAnchor }, path) => {
    for (const name of [$anchor, $dynamicAnchor])
      if (typeof name === 'string' && !found.has(name)) found.set(name, path);
  });
  return found;
});

/**
 * Follows `$ref`s inside the document and into files beside it; never over the network. A fragment
 * is a JSON Pointer from the root of its file, or an `$anchor` in it: `$id` and `$self` are not
 * supported.
 */
export class References {
  readonly #sources = new Map<string, ParsedFile | undefined>();
  readonly #problems: Problems;
  readonly #folders: ReturnType<typeof foldersOf>;
  readonly #readSource: ReadSource;
  /** Of a document that was fetched. */
  readonly #mirror: Mirror | undefined;

  /** @param refRoot the folder that every file must be in; the one of `root` when absent */
  constructor(root: ParsedFile, problems: Problems, refRoot?: string, read: ReadSource = readSource) {
    this.#readSource = read;
    this.#problems = problems;
    this.#sources.set(root.absolute, root);
    this.#folders = foldersOf(root.absolute, refRoot);
    this.#mirror = mirrorOf(root.absolute);
  }

  /** Every file read so far, the document first. */
  get sources(): readonly ParsedFile[] {
    return [...this.#sources.values()].filter((source) => source !== undefined);
  }

  /**
   * The value that a Reference Object leads to, through any number of references; the node itself
   * when it is none; `undefined` when it leads nowhere, which `checkReferences` reports, or back to
   * itself, which is reported here.
   */
  resolve(node: Node): Node | undefined {
    let seen: Set<unknown> | undefined;
    let current: Node | undefined = node;
    while (current && isObject(current.value) && typeof current.value.$ref === 'string') {
      seen ??= new Set();
      if (seen.has(current.value)) {
        this.#problems.error(childNode(node, '$ref'), 'this $ref leads back to itself and never to a value');
        return undefined;
      }
      seen.add(current.value);
      current = this.find(current, current.value.$ref);
    }
    return current;
  }

  /** The node that `reference`, written in `from`, names; reported when there is none. */
  follow(from: Node, reference: string): Node | undefined {
    return this.#lookUp(from, reference, childNode(from, '$ref'));
  }

  /** Like `follow`, without a report. */
  find(from: Node, reference: string): Node | undefined {
    return this.#lookUp(from, reference, undefined);
  }

  /** Whether a reference leads over the network. A document that was fetched has its own origin. */
  leadsAway(reference: string): boolean {
    return this.#mirror === undefined && isAddress(reference);
  }

  #lookUp(from: Node, reference: string, at: Node | undefined): Node | undefined {
    const hash = reference.indexOf('#');
    const [file, fragment] = hash === -1 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
    const source = file === '' ? from.source : this.#open(from.source, file, at);
    if (!source) return undefined;
    const path = pathOfPointer(fragment) ?? anchorsOf(source).get(fragment);
    const value = path && valueAt(source.value, path);
    if (path && value !== undefined) return { source, path, value };
    if (at)
      this.#problems.error(
        at,
        `$ref ${JSON.stringify(reference)} names nothing`,
        path
          ? `There is no ${fragment === '' ? 'value' : `#${fragment}`} in ${source.file}.`
          : `It is no JSON Pointer, and there is no $anchor of that name in ${source.file}.`,
      );
    return undefined;
  }

  #open(from: ParsedFile, file: string, at: Node | undefined): ParsedFile | undefined {
    if (this.#mirror) return this.#openMirrored(this.#mirror.fileOf(file, from.absolute), file, at);
    if (isAddress(file)) {
      if (at)
        this.#problems.error(at, `$ref ${JSON.stringify(file)} leads over the network, which is never read`, saveIt);
      return undefined;
    }
    // A lone percent sign is taken literally.
    const absolute = resolve(dirname(from.absolute), percentDecoded(file));
    if (this.#sources.has(absolute)) return this.#sources.get(absolute);
    if (!this.#folders.hold(absolute)) {
      if (at)
        this.#problems.error(
          at,
          `$ref ${JSON.stringify(file)} leads out of the folder ${this.#folders.shown}, and no file outside of it is read`,
          'Set REF_ROOT to a folder that holds the document and every file that it refers to.',
        );
      return undefined;
    }
    return this.#read(absolute, file, at);
  }

  #openMirrored(found: ReturnType<Mirror['fileOf']>, file: string, at: Node | undefined): ParsedFile | undefined {
    if ('file' in found)
      return this.#sources.has(found.file) ? this.#sources.get(found.file) : this.#read(found.file, file, at);
    if (at) this.#problems.error(at, `$ref ${JSON.stringify(file)} cannot be read: ${found.why}`);
    return undefined;
  }

  #read(absolute: string, file: string, at: Node | undefined): ParsedFile | undefined {
    let source: ParsedFile | undefined;
    try {
      source = this.#readSource(relative(process.cwd(), absolute) || file, 'document');
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      const [first] = error.problems;
      if (at) this.#problems.error(at, `$ref ${JSON.stringify(file)} cannot be read: ${first?.message ?? 'unknown'}`);
    }
    this.#sources.set(absolute, source);
    return source;
  }
}

/**
 * Follows every `$ref` of every file before the run, so that broken ones are known at once. One of
 * the document that names nothing in it, or leads over the network, is a warning where only a body
 * or a value hangs on it.
 * @returns where schemas of the document refer to such: no body can be held against them
 */
export const checkReferences = (root: ParsedFile, references: References, problems: Problems): readonly ValuePath[] => {
  const checked = new Set<ParsedFile>();
  const waiting: ParsedFile[] = [root];
  const inSchemas: ValuePath[] = [];
  for (let source = waiting.pop(); source; source = waiting.pop()) {
    const file = source;
    const good = new Set<string>();
    checked.add(file);
    forEachObject(file.value, (value, path) => {
      const { $ref } = value;
      if (typeof $ref !== 'string' || good.has($ref)) return;
      const node = { source: file, path, value };
      const leadsAway = references.leadsAway($ref);
      const isBroken = leadsAway || ($ref.startsWith('#') && references.find(node, $ref) === undefined);
      const tolerance = file === root && isBroken ? toleranceOfReference(pointerOf(path)) : undefined;
      if (tolerance === 'in a schema') inSchemas.push(path);
      if (tolerance)
        problems.warn(
          childNode(node, '$ref'),
          `$ref ${JSON.stringify($ref)} ${leadsAway ? 'leads over the network, which is never read' : 'names nothing'}`,
          leadsAway ? `${consequences[tolerance]} ${saveIt}` : consequences[tolerance],
        );
      else if (references.follow(node, $ref)) good.add($ref);
    });
    waiting.push(...references.sources.filter((each) => !checked.has(each)));
  }
  return inSchemas;
};
