import type { AnySchemaObject, ErrorObject } from 'ajv';
import { isArray, isObject, pathOf, valueAt } from './json-values.js';

/** Members by which an object says which of a schema's alternatives it is meant to be. */
const kinds = ['type', 'in'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** The values that an alternative allows for a member; `undefined` where it allows any. */
const allowedFor = (alternative: Fields, member: string): readonly unknown[] | undefined => {
  const schema = valueAt(alternative, ['properties', member]);
  if (!isObject(schema)) return undefined;
  if (isArray(schema.enum)) return schema.enum;
  return 'const' in schema ? [schema.const] : undefined;
};

const alternativesOf = ({ schema }: ErrorObject, root: AnySchemaObject): readonly Fields[] =>
  (isArray(schema) ? schema : []).flatMap((written: unknown) => {
    const reference = isObject(written) ? written.$ref : undefined;
    const found = typeof reference === 'string' ? valueAt(root, pathOf(reference.slice(1)) ?? []) : written;
    return isObject(found) ? [found] : [];
  });

/** All complaints about one object and its members, and what the alternatives that it was held against make of them. */
interface Scene {
  readonly fault: ErrorObject;
  readonly alternatives: readonly Fields[];
  /** Complaints that one of `of` makes about the object itself or one of its members. */
  readonly madeBy: (of: readonly Fields[]) => readonly ErrorObject[];
}

/** Of alternatives that name their kind only the one that is meant has something to say; where none is, what they allow is said together. */
const byKind = ({ fault, alternatives, madeBy }: Scene): Change | undefined => {
  const { data } = fault;
  const member = kinds.find((name) => alternatives.every((each) => allowedFor(each, name) !== undefined));
  if (member === undefined || !isObject(data) || data[member] === undefined) return undefined;
  const others = alternatives.filter((each) => allowedFor(each, member)?.includes(data[member]) === false);
  const drop = madeBy(others);
  if (others.length < alternatives.length) return { drop, add: [] };
  const allowedValues = alternatives.flatMap((each) => allowedFor(each, member) ?? []);
  const instancePath = `${fault.instancePath}/${member}`;
  return { drop, add: [{ ...fault, instancePath, keyword: 'enum', params: { allowedValues } }] };
};

/** Alternatives that differ in the member that they ask for: any one of these members is what the object lacks. A `$ref` nobody meant. */
const byLack = ({ fault, alternatives, madeBy }: Scene): Change | undefined => {
  const lacks = madeBy(alternatives).filter(
    ({ keyword, instancePath, params }) =>
      keyword === 'required' && instancePath === fault.instancePath && params.missingProperty !== '$ref',
  );
  if (alternatives.length < 2 || lacks.length < alternatives.length) return undefined;
  const missingProperties = lacks.map(({ params }) => String(params.missingProperty));
  return { drop: lacks, add: [{ ...fault, keyword: 'required', params: { missingProperties } }] };
};

interface Change {
  readonly drop: readonly ErrorObject[];
  readonly add: readonly ErrorObject[];
}

/**
 * A `oneOf` that nothing fits complains for each of its alternatives. Keeps what the alternative that is meant complains of, and
 * joins the rest: allowed values into one complaint of keyword `enum`, members to choose from into one of keyword `required`
 * with `params.missingProperties`.
 * @param errors with `verbose`, so that each knows the schema that it comes from
 * @param root the schema that the errors come from: the same object
 */
export const ofWhatIsMeant = (errors: readonly ErrorObject[], root: AnySchemaObject): readonly ErrorObject[] => {
  const byPlace = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const same = byPlace.get(error.instancePath);
    if (same) same.push(error);
    else byPlace.set(error.instancePath, [error]);
  }
  const dropped = new Set<ErrorObject>();
  const added: ErrorObject[] = [];
  for (const fault of errors) {
    if (fault.keyword !== 'oneOf' || fault.params.passingSchemas !== null) continue;
    const place = fault.instancePath;
    const madeBy = (of: readonly Fields[]): readonly ErrorObject[] =>
      of.flatMap((each) => {
        const members = isObject(each.properties) ? each.properties : {};
        return [
          ...(byPlace.get(place) ?? []).filter(({ parentSchema }) => parentSchema === each),
          ...Object.entries(members).flatMap(([name, schema]) =>
            (byPlace.get(`${place}/${name}`) ?? []).filter(({ parentSchema }) => parentSchema === schema),
          ),
        ];
      });
    const scene = { fault, alternatives: alternativesOf(fault, root), madeBy };
    const change = byKind(scene) ?? byLack(scene);
    for (const error of change?.drop ?? []) dropped.add(error);
    added.push(...(change?.add ?? []));
  }
  return [...errors.filter((error) => !dropped.has(error)), ...added];
};
