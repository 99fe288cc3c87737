import { pathToFileURL } from 'node:url';
import { child, isObject, type Path } from './json-values.js';
import type { Source } from './source.js';
import { forEachObject } from './walk.js';

/** A part of a file that references are resolved against: the file, or a schema with an `$id`. */
export interface SchemaResource {
  /** Absolute, without a fragment. */
  readonly uri: string;
  readonly path: Path;
}

const resolved = (reference: string, base: string): string | undefined => {
  try {
    const url = new URL(reference, base);
    url.hash = '';
    return url.href.replace(/#$/, '');
  } catch {
    return undefined;
  }
};

const identifierKeywords = ['$id', '$self', '$anchor', '$dynamicAnchor'] as const;

/** What a file calls its parts by other names than JSON Pointers: `$id`, `$anchor`, `$dynamicAnchor` and the `$self` of OpenAPI 3.2. */
export class Identifiers {
  readonly #root: unknown;
  readonly #file: SchemaResource;
  /** Whether it calls any; most files do not, and are spared the search. */
  readonly any: boolean;
  #resources = new Map<string, Path>();
  #anchors = new Map<string, (readonly [uri: string, path: Path])[]>();
  #dynamic: (readonly [name: string, resource: Path, path: Path])[] = [];
  #searched = false;

  constructor({ absolute, bytes, value }: Source) {
    this.#root = value;
    const location = pathToFileURL(absolute).href;
    const self = child(value, '$self');
    this.#file = { uri: (typeof self === 'string' ? resolved(self, location) : undefined) ?? location, path: [] };
    this.any = identifierKeywords.some((word) => bytes.includes(word));
  }

  /** The innermost resource around `path`. */
  resourceOf(path: Path): SchemaResource {
    let resource = this.#file;
    if (!this.any) return resource;
    let value = this.#root;
    for (const [index, key] of path.entries()) {
      value = child(value, key);
      resource = idOf(value, resource, path.slice(0, index + 1)) ?? resource;
    }
    return resource;
  }

  /** Where the resource of `uri` begins in this file. */
  pathOf(uri: string): Path | undefined {
    this.#search();
    return this.#resources.get(uri);
  }

  /** Where an anchor stands: the one of the resource, or the only one of its name. */
  anchor(name: string, { uri }: SchemaResource): Path | undefined {
    this.#search();
    const all = this.#anchors.get(name) ?? [];
    const own = all.find(([resource]) => resource === uri);
    return (own ?? (all.length === 1 ? all[0] : undefined))?.[1];
  }

  /** Every dynamic anchor of the file, with where its resource begins. */
  get dynamicAnchors(): readonly (readonly [name: string, resource: Path, path: Path])[] {
    this.#search();
    return this.#dynamic;
  }

  #search(): void {
    if (this.#searched) return;
    this.#searched = true;
    this.#resources.set(this.#file.uri, []);
    if (!this.any) return;
    forEachObject(this.#root, (value, path) => {
      const resource = this.resourceOf(path);
      if (resource.path.length === path.length) this.#resources.set(resource.uri, path);
      const { $id, $anchor, $dynamicAnchor } = value;
      // Drafts before 2019-09 write an anchor as an `$id` that is a fragment.
      for (const name of [
        $anchor,
        $dynamicAnchor,
        typeof $id === 'string' && /^#./.test($id) ? $id.slice(1) : undefined,
      ])
        if (typeof name === 'string')
          this.#anchors.set(name, [...(this.#anchors.get(name) ?? []), [resource.uri, path]]);
      if (typeof $dynamicAnchor === 'string') this.#dynamic.push([$dynamicAnchor, resource.path, path]);
    });
  }
}

const idOf = (value: unknown, around: SchemaResource, path: Path): SchemaResource | undefined => {
  const $id = isObject(value) ? value.$id : undefined;
  if (typeof $id !== 'string' || $id.startsWith('#')) return undefined;
  const uri = resolved($id, around.uri);
  return uri === undefined ? undefined : { uri, path };
};
