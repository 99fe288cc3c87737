import { isObject, lazy, present } from '../collections.js';
import { type FoundOperation, type OpenDocument, serverOverrides } from './find-operations.js';
import { child, isArray, pointerOf } from './json-values.js';
import type { DocumentLink, FilledIn, Operation, UnprobedOperation } from './model.js';
import { childNode, memberNodes, positionOf } from './node.js';
import { type Ownership, ownershipsIn } from './ownership.js';
import { createRandomIds, type RandomIds } from './parameter-values.js';
import type { FilledRequest } from './parameter-writer.js';
import type { ParameterFiller } from './parameters.js';
import type { SchemaConverter } from './portable-schema.js';
import type { References } from './references.js';
import { hasSilentDefault, responsesOf } from './responses.js';
import type { Requirement, Security } from './security.js';
import { isUnsafe, whyKeyless, whyNotFilled, whyNotProbed, whyOverrideIsNotSent } from './why-not-probed.js';

interface DocumentContext extends OpenDocument {
  readonly security: Security;
  readonly parameters: ParameterFiller;
  readonly schemas: SchemaConverter;
  /** Values of settings that replace an assumed path. */
  readonly paths: Readonly<Record<string, string>>;
  readonly unsafeMethods: boolean;
}

const isFilledList = (value: unknown): boolean => isArray(value) && value.length > 0;

const assumedPath = ({ node, pathItems }: FoundOperation): { readonly setting: string } | undefined => {
  const [assumed] = [node, ...pathItems.toReversed()].flatMap(
    ({ value }) => child(value, 'x-access-assumed-path') ?? [],
  );
  const setting = child(assumed, 'setting');
  return typeof setting === 'string' && setting !== '' ? { setting } : undefined;
};

/** What is said of an operation at its server, path or tags. */
interface Surroundings {
  readonly ownership: Ownership;
  readonly server: ReturnType<ReturnType<typeof serverOverrides>>;
}

/** An operation that a run probes, or why it does not. */
type ReadOperation =
  | { readonly operation: Operation }
  | {
      readonly unprobed: UnprobedOperation;
      /** Set if a run may find the values that are missing; without them. */
      readonly fillable: Operation | undefined;
    };

/** A request without the reasons for which there may be none. */
type WholeRequest = Exclude<FilledRequest, { readonly reason: string }>;

class DescribedOperation {
  readonly #context: DocumentContext;
  readonly #found: FoundOperation;
  readonly #around: Surroundings;
  readonly #requirement: Requirement;
  readonly #randomIds: RandomIds | undefined;
  readonly #assumed: { readonly setting: string } | undefined;
  /** The path of a setting in place of an assumed one. */
  readonly #replaced: string | undefined;

  constructor(context: DocumentContext, found: FoundOperation, around: Surroundings) {
    this.#context = context;
    this.#found = found;
    this.#around = around;
    this.#requirement = context.security.of(found.node);
    this.#randomIds = isUnsafe(found.method) ? createRandomIds(found.id, context.references) : undefined;
    this.#assumed = assumedPath(found);
    this.#replaced = this.#assumed && context.paths[this.#assumed.setting];
  }

  read(): ReadOperation {
    const { method, path } = this.#found;
    const filled = this.#fill();
    const whatever = whyNotProbed({
      found: this.#found,
      requirement: this.#requirement,
      server: this.#around.server,
      references: this.#context.references,
      allowUnsafe: this.#context.unsafeMethods,
    });
    const left = whatever ?? whyNotFilled(this.#found, filled);
    if (left === undefined && !('reason' in filled)) {
      const { exampled } = filled;
      const isOpen = method === 'GET' && this.#replaced === undefined && exampled.length > 0;
      const missing = isOpen ? { missing: exampled, fill: this.#fillWith } : undefined;
      return { operation: this.#operationWith(filled, missing) };
    }
    const missing = 'reason' in filled && whatever === undefined && method === 'GET' ? filled.missing : undefined;
    const unfilled = { target: path, headers: [], exampled: [], chosen: [], optional: [], parameterNames: [] };
    return {
      unprobed: present({
        id: this.#found.id,
        method,
        path,
        access: this.#requirement.access,
        requirements: this.#stated,
        owned: this.#around.ownership.owned || undefined,
        ...(left ?? { why: 'no-value', reason: '' }),
        fillable: missing && { missing, fill: this.#fillWith },
      }),
      fillable: missing && this.#operationWith(unfilled),
    };
  }

  get #stated() {
    return this.#context.security.statedBy(this.#found.node);
  }

  #fill(values?: FilledIn): FilledRequest {
    const { id, path, node, pathItems } = this.#found;
    const keys = this.#context.security.placesOf(node);
    return this.#context.parameters.fill(
      present({
        template: path,
        operationId: id,
        pathItems,
        operation: node,
        keys,
        values,
        randomIds: this.#randomIds,
      }),
    );
  }

  readonly #fillWith = (values: FilledIn): Operation | undefined => {
    const request = this.#fill(values);
    return 'reason' in request || whyOverrideIsNotSent(request) !== undefined
      ? undefined
      : this.#operationWith(request);
  };

  #operationWith(
    { target, otherTarget, headers, chosen, optional, parameterNames }: WholeRequest,
    exampled?: Operation['exampled'],
  ): Operation {
    const { id, method, path, node } = this.#found;
    const { access, security, alternatives } = this.#requirement;
    const replaced = this.#replaced;
    return present({
      id,
      method,
      path: replaced ?? path,
      documentedPath: (replaced ?? path) === path ? undefined : path,
      target: replaced ?? target,
      otherTarget: replaced === undefined ? otherTarget : undefined,
      headers,
      optional: optional.length > 0 ? optional : undefined,
      parameterNames: this.#around.ownership.owned && parameterNames.length > 0 ? parameterNames : undefined,
      chosen: chosen.length > 0 ? chosen : undefined,
      ...this.#randomIds?.made,
      access,
      security,
      alternatives,
      ownSecurity: isFilledList(child(node.value, 'security')) || undefined,
      requirements: this.#stated,
      ...this.#around.ownership,
      assumedPath: this.#assumed,
      responses: responsesOf(node, this.#context),
      silentDefault: hasSilentDefault(node, this.#context.references) || undefined,
      exampled,
      keyless: whyKeyless(this.#found, this.#requirement, this.#context.unsafeMethods),
      position: positionOf(node),
    });
  }
}

/**
 * `$response.body#/data/0/id` (OpenAPI 3.1, section 4.8.20.4); every other expression speaks of the
 * request.
 */
const bodyPointer = (expression: unknown): string | undefined =>
  typeof expression === 'string' ? /^\{?\$response\.body#(\/[^}]*)\}?$/.exec(expression)?.[1] : undefined;

/** Links from successful answers to operations of the same document. */
const linksOf = (operations: readonly FoundOperation[], references: References): readonly DocumentLink[] => {
  const pointerTo = ({ path, method }: FoundOperation): string => pointerOf(['paths', path, method.toLowerCase()]);
  const idByPointer = lazy(() => new Map(operations.map((each) => [pointerTo(each), each.id])));
  const target = (link: unknown): string | undefined => {
    const [id, reference] = [child(link, 'operationId'), child(link, 'operationRef')];
    if (typeof id === 'string') return id;
    if (typeof reference !== 'string') return undefined;
    return idByPointer().get(reference.slice(reference.indexOf('#') + 1));
  };
  return operations.flatMap(({ id, node }) => {
    return memberNodes(childNode(node, 'responses')).flatMap(([status, described]) => {
      const response = status.startsWith('2') ? references.resolve(described) : undefined;
      return (response ? memberNodes(childNode(response, 'links')) : []).flatMap(([, written]) => {
        const link = references.resolve(written);
        const to = link && target(link.value);
        const parameters = link && child(link.value, 'parameters');
        if (to === undefined || !isObject(parameters)) return [];
        return Object.entries(parameters).flatMap(([parameter, expression]): DocumentLink[] => {
          const pointer = bodyPointer(expression);
          // A name may say where it is: `path.id`.
          return pointer === undefined
            ? []
            : [{ from: id, to, parameter: parameter.replace(/^(?:path|query|header|cookie)\./, ''), pointer }];
        });
      });
    });
  });
};

/** Splits the operations into those that a run probes, and the rest with a reason each. */
export const readOperations = (
  found: readonly FoundOperation[],
  context: DocumentContext,
): {
  operations: readonly Operation[];
  unprobed: readonly UnprobedOperation[];
  /** The unprobed operations for which a run may find values, without the values. */
  fillable: readonly Operation[];
  links: readonly DocumentLink[];
} => {
  const ownServer = serverOverrides(context.root);
  const ownershipOf = ownershipsIn(context.root, context.problems);
  const operations: Operation[] = [];
  const unprobed: UnprobedOperation[] = [];
  const fillable: Operation[] = [];
  for (const each of found) {
    const { node, pathItems } = each;
    const described = new DescribedOperation(context, each, {
      ownership: ownershipOf(node, pathItems),
      server: ownServer([node, ...pathItems.toReversed()]),
    });
    const read = described.read();
    if ('operation' in read) operations.push(read.operation);
    else unprobed.push(read.unprobed);
    if ('fillable' in read && read.fillable) fillable.push(read.fillable);
  }
  return { operations, unprobed, fillable, links: linksOf(found, context.references) };
};
