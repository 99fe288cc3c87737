import { inAnyRow, plainPathOf, valueAt } from '../../contract/json-values.js';
import type { Contract, MissingParameter } from '../../contract/model.js';
import type { Deployment } from '../../rules/rule.js';
import { pathSegments } from '../../urls.js';
import type { AccountValue } from './account-value.js';
import { type AnsweredRead, type Chain, chainOf, padded, prefixesOf } from './chains.js';
import { type FoundValue, isGeneric, Mentions, valueBeside, valueIn } from './members.js';
import { type Choice, createPlaceholders, type KnownValue } from './placeholders.js';
import { type AnswerPath, type AnswerRow, allRowsOf, answerRows, pathsIn, segmentsAsIn, valuesIn } from './rows.js';
import { isNamedBy, valueScopeOf, type Wanting } from './sources.js';
import { isSingularOf, nounOf, type PathParameter, pathParameters, patternOf } from './template.js';

/** The values that answers offer for the parameters of a path. */

/** Values that are tried before and after those of rows. */
interface KnownValues {
  /** The account whose key asks, and values to which the document has links. */
  readonly first: readonly KnownValue[];
  /** Values that opened other operations with the parameter, and the account. */
  readonly last: readonly KnownValue[];
}

/** Maximum number of values that are considered for a parameter. */
const mostValues = 12;

/** A list that has a path template lists routes and no resources: `/users/login` is no user. */
const isTemplate = ({ segments }: AnswerPath): boolean => segments.some((segment) => /[{<].*[}>]/.test(segment));

/** Finds values for parameters in answers that were read. */
export class Choices {
  /** Whether to also search lists at other paths if they are named like the parameter. */
  thorough = false;

  readonly #links: NonNullable<Contract['links']>;
  readonly #deployment: Deployment;
  readonly #readings: AnsweredRead[] = [];
  readonly #mentions = new Mentions();
  readonly #paths: { readonly reading: AnsweredRead; readonly path: AnswerPath }[] = [];
  readonly #placeholderOf: ReturnType<typeof createPlaceholders>;
  readonly #accountFor: (operation: Wanting) => AccountValue | undefined;
  /** Shapes of all documented path prefixes that end with a literal segment. */
  readonly #spelledOut = new Set<string>();
  /** Literal segments of all documented paths. */
  readonly #literals = new Set<string>();

  constructor(
    { contract, deployment }: { readonly contract: Contract; readonly deployment: Deployment },
    wanting: readonly Wanting[],
    accountFor: (operation: Wanting) => AccountValue | undefined,
  ) {
    this.#accountFor = accountFor;
    this.#links = contract.links ?? [];
    this.#deployment = deployment;
    for (const { path } of [...contract.operations, ...contract.unprobed])
      for (const [index, segment] of pathSegments(path).entries())
        if (!segment.includes('{')) {
          this.#literals.add(segment);
          this.#spelledOut.add(patternOf(pathSegments(path).slice(0, index + 1)));
        }
    this.#placeholderOf = createPlaceholders(
      wanting.flatMap(({ path, fillable }) => fillable.missing.map((parameter) => valueScopeOf(parameter, path))),
    );
  }

  note(reading: AnsweredRead): void {
    this.#readings.push(reading);
    this.#mentions.note(reading.answer.body);
    const paths = pathsIn(reading.answer.body, this.#deployment);
    const tables = new Set(paths.filter(isTemplate).map(({ pointer }) => inAnyRow(pointer)));
    for (const path of paths.filter(({ pointer }) => !tables.has(inAnyRow(pointer))))
      if (!path.relative || this.#literals.has(path.segments[0] ?? '')) this.#paths.push({ reading, path });
  }

  /** Choices of values for an operation, most reliable first. */
  of(wanting: Wanting): readonly Choice[] {
    const { path, fillable } = wanting;
    const inPath = fillable.missing.filter((parameter) => parameter.in === 'path');
    const others = fillable.missing.filter((parameter) => parameter.in !== 'path');
    const known = this.#knownFor(wanting);
    const queries: readonly (readonly [string, readonly KnownValue[]])[] = others.map((parameter) => [
      parameter.name,
      [
        ...(known.get(parameter.name)?.first ?? []),
        ...(parameter.in === 'query' ? this.#forQuery(parameter, path) : []),
        ...(known.get(parameter.name)?.last ?? []),
      ],
    ]);
    if (queries.some(([, values]) => values.length === 0)) return [];
    const chains = inPath.length === 0 ? [[]] : this.#chains(path, inPath, known);
    const names = pathParameters(path).map(({ name }) => name);
    const widest = Math.max(1, ...queries.map(([, values]) => values.length));
    return Array.from({ length: Math.min(widest, mostValues) }, (_, index) => index)
      .flatMap((index) =>
        chains.map((chain): Choice => {
          const choice = new Map<string, KnownValue>();
          for (const [position, value] of chain.entries()) {
            const name = names[position];
            if (value && name !== undefined && inPath.some((parameter) => parameter.name === name))
              choice.set(name, value);
          }
          for (const [name, values] of queries) {
            const value = values[index] ?? values[0];
            if (value) choice.set(name, value);
          }
          return choice;
        }),
      )
      .filter((choice) => choice.size === fillable.missing.length);
  }

  /** What is known of each parameter beside the rows of answers. */
  #knownFor(wanting: Wanting): ReadonlyMap<string, KnownValues> {
    const { id, path, fillable } = wanting;
    const { placeholder, value, isFor, mayBeFor } = this.#accountFor(wanting) ?? {};
    const account = placeholder === undefined || value === undefined ? [] : [{ placeholder, value }];
    const linked = this.#linked(id, path, fillable.missing);
    return new Map(
      fillable.missing.map((parameter): [string, KnownValues] => [
        parameter.name,
        {
          first: [...(isFor?.(parameter) ? account : []), ...(linked.get(parameter.name) ?? [])],
          last: this.thorough ? [...this.#openedWith(parameter, path), ...(mayBeFor?.(parameter) ? account : [])] : [],
        },
      ]),
    );
  }

  /** The value of the same parameter in operations that were opened. */
  #openedWith(parameter: MissingParameter, path: string): readonly KnownValue[] {
    const scope = valueScopeOf(parameter, path);
    return this.#readings.flatMap(({ operation, choice }) => {
      const value = choice.get(parameter.name);
      return value && valueScopeOf(parameter, operation.path) === scope ? [value] : [];
    });
  }

  #linked(id: string, path: string, missing: readonly MissingParameter[]): ReadonlyMap<string, readonly KnownValue[]> {
    const found = new Map<string, KnownValue[]>();
    for (const { from, to, parameter, pointer } of this.#links) {
      const sought = missing.find(({ name }) => name === parameter);
      if (to !== id || !sought) continue;
      for (const reading of this.#readings) {
        if (reading.operation.id !== from) continue;
        const value = valueAt(reading.answer.body, plainPathOf(pointer));
        if (typeof value !== 'string' && typeof value !== 'number') continue;
        const read = this.#placeholderOf(valueScopeOf(sought, path), reading, { pointer, value: String(value) });
        found.set(parameter, [...(found.get(parameter) ?? []), read]);
      }
    }
    return found;
  }

  #chains(
    path: string,
    missing: readonly MissingParameter[],
    known: ReadonlyMap<string, KnownValues>,
  ): readonly Chain[] {
    const parameters = pathParameters(path);
    let chains: readonly Chain[] = [[]];
    for (const [index, parameter] of parameters.entries()) {
      const sought = missing.find(({ name }) => name === parameter.name);
      if (!sought) {
        chains = chains.map((chain) => [...chain, undefined]);
        continue;
      }
      const [best] = chains;
      const bestWith = (values: readonly KnownValue[] = []): readonly Chain[] =>
        best ? values.map((value) => [...best, value]) : [];
      const next = [
        ...bestWith(known.get(sought.name)?.first),
        ...this.#next({ ...parameter, ...sought }, index, chains),
        ...bestWith(known.get(sought.name)?.last),
      ];
      const seen = new Set<string>();
      chains = next
        .filter((chain) => {
          const name = chain.map((value) => value?.value ?? '').join('\n');
          return !seen.has(name) && seen.add(name) !== undefined;
        })
        .slice(0, mostValues * 2);
    }
    return chains;
  }

  /** Extends each chain by a value for the next parameter. */
  #next(sought: PathParameter & MissingParameter, index: number, before: readonly Chain[]): readonly Chain[] {
    const chains: Chain[] = [];
    const [best = []] = before;
    const at = sought.prefix;
    const paths = this.#paths.flatMap(({ reading, path }) => {
      const segments = segmentsAsIn(path, sought.pattern);
      const values = valuesIn(segments, sought.pattern);
      const isIt = values?.length === index + 1 && !this.#isSpelledOut(sought.pattern, segments);
      return isIt ? [{ reading, pointer: path.pointer, values }] : [];
    });
    const rowsIn = (reading: AnsweredRead): readonly (readonly [AnswerRow, FoundValue])[] =>
      answerRows(reading.answer.body, sought.noun).flatMap((row) => {
        const found = valueIn(row, sought);
        if (!found || paths.some((path) => path.reading === reading && path.pointer === found.pointer)) return [];
        const other = valueBeside(row, sought, found);
        return [found, ...(other ? [other] : [])].map((value) => [row, value] as const);
      });
    // Rows of the list at the parent path, such as `/things` for `/things/{id}`, combined with the
    // values that opened that list.
    for (const reading of this.#readings)
      if (sought.collections.includes(patternOf(pathSegments(reading.operation.path)))) {
        const chain = chainOf(reading, index).map((value, position) => value ?? best[position]);
        for (const [, found] of this.#ranked(rowsIn(reading), sought))
          chains.push([...padded(chain, index), this.#placeholderOf(at, reading, found)]);
      }
    const prefixes = prefixesOf(sought.pattern);
    for (const { reading, pointer, values } of paths)
      chains.push(
        values.map((value, position) =>
          this.#placeholderOf(prefixes[position] ?? at, reading, { pointer: `${pointer}@${position}`, value }),
        ),
      );
    if (!this.thorough) return chains;
    for (const reading of this.#readings) {
      const { path } = reading.operation;
      const pattern = patternOf(pathSegments(path));
      if (sought.collections.includes(pattern)) continue;
      const parent = patternOf(pathSegments(path).slice(0, -1));
      const noun = nounOf(path) ?? '';
      // `/tags` lists what `/tag/{id}` names.
      const isAlike = sought.noun !== '' && (noun === sought.noun || isSingularOf(sought.noun, noun));
      if (isAlike || sought.collections.includes(parent))
        for (const [, found] of this.#ranked(rowsIn(reading), sought))
          chains.push([...padded(best, index), this.#placeholderOf(at, reading, found)]);
    }
    chains.push(...this.#named(sought, at).map((value) => [...padded(best, index), value]));
    return [...chains, ...this.#byName(sought, at).map((value) => [...padded(best, index), value])];
  }

  /**
   * Whether the last value of a path is a literal segment of another template: the `search` of
   * `/things/search` is not an id.
   */
  #isSpelledOut(prefix: string, segments: readonly string[]): boolean {
    const length = pathSegments(prefix).length;
    return this.#spelledOut.has(patternOf([...pathSegments(prefix).slice(0, -1), segments[length - 1] ?? '']));
  }

  #forQuery(parameter: MissingParameter, path: string): readonly KnownValue[] {
    const place = valueScopeOf(parameter, path);
    const found = this.#named(parameter, place);
    return this.thorough ? [...found, ...this.#byName({ ...parameter, noun: '' }, place)] : found;
  }

  /**
   * Values from lists that the parameter is named after: `pluginName` from `/plugins`, `project`
   * from `/projects`.
   */
  #named(parameter: MissingParameter, place: string): readonly KnownValue[] {
    return this.#readings
      .flatMap((reading) => {
        const noun = nounOf(reading.operation.path) ?? '';
        if (!isNamedBy(parameter, noun)) return [];
        const sought = { ...parameter, noun };
        const rows = answerRows(reading.answer.body, noun).flatMap((row) => {
          const value = valueIn(row, sought);
          return value ? [[row, value] as const] : [];
        });
        return this.#ranked(rows, sought).map(([, value]) => this.#placeholderOf(place, reading, value));
      })
      .slice(0, mostValues);
  }

  /** Values of members with the parameter's name in any answer, except for names such as `id`. */
  #byName(sought: MissingParameter & { readonly noun: string }, place: string): readonly KnownValue[] {
    if (isGeneric(sought.name)) return [];
    return this.#readings
      .flatMap((reading) =>
        allRowsOf(reading.answer.body)
          .flatMap((row) => {
            const found = valueIn(row, sought, true);
            return found ? [this.#placeholderOf(place, reading, found)] : [];
          })
          .slice(0, 2),
      )
      .slice(0, mostValues);
  }

  /**
   * Sorts rows by how often other answers mention them. Two values of one row stay in their order:
   * the one that is named like an id is mentioned under more names, whichever the parameter means.
   */
  #ranked(
    rows: readonly (readonly [AnswerRow, FoundValue])[],
    sought: { readonly name: string; readonly noun: string },
  ): readonly (readonly [AnswerRow, FoundValue])[] {
    const weights = new Map<AnswerRow, number>();
    for (const [row, { value }] of rows)
      weights.set(row, Math.max(weights.get(row) ?? 0, this.#mentions.of(value, sought)));
    return rows.toSorted(([a], [b]) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(0, mostValues);
  }
}
