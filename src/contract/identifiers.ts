import { pathToFileURL } from 'node:url';
import { urlIn } from '../urls.js';
import { child, isObject, type Path } from './json-values.js';
import type { Source } from './source.js';
import { forEachObject } from './walk.js';

/** A base for references: a file, or a schema with an `$id`. */
export interface SchemaResource {
  /** Absolute, without a fragment. */
  readonly uri: string;
  readonly path: Path;
}

const resolved = (reference: string, base: string): string | undefined =>
  urlIn(reference, base)?.href.replace(/#.*$/s, '');

const identifierKeywords = ['$id', '$self', '$anchor', '$dynamicAnchor'] as const;

/** Identifiers in a file other than JSON Pointers: `$id`, anchors, and `$self` (OpenAPI 3.2). */
export class Identifiers {
  readonly #root: unknown;
  readonly #file: SchemaResource;
  /** False for most files, which then need no search. */
  readonly any: boolean;
  #resources = new Map<string, Path>();
  #anchors = new Map<string, (readonly [uri: string, path: Path])[]>();
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

  /** The path of the resource with this URI. */
  pathOf(uri: string): Path | undefined {
    this.#search();
    return this.#resources.get(uri);
  }

  /** The path of an anchor: the one in the resource, else the only one of that name. */
  anchor(name: string, { uri }: SchemaResource): Path | undefined {
    this.#search();
    const all = this.#anchors.get(name) ?? [];
    const own = all.find(([resource]) => resource === uri);
    return (own ?? (all.length === 1 ? all[0] : undefined))?.[1];
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
      // Before draft 2019-09, an `$id` that is a fragment is an anchor.
      for (const name of [
        $anchor,
        $dynamicAnchor,
        typeof $id === 'string' && /^#./.test($id) ? $id.slice(1) : undefined,
      ])
        if (typeof name === 'string')
          this.#anchors.set(name, [...(this.#anchors.get(name) ?? []), [resource.uri, path]]);
    });
  }
}

const idOf = (value: unknown, around: SchemaResource, path: Path): SchemaResource | undefined => {
  const $id = isObject(value) ? value.$id : undefined;
  if (typeof $id !== 'string' || $id.startsWith('#')) return undefined;
  const uri = resolved($id, around.uri);
  return uri === undefined ? undefined : { uri, path };
};
