import { canonicalText, type Json } from '../canonical-json.js';
import { groupBy } from '../collections.js';
import type { Contract, Operation } from '../contract/model.js';
import { factName } from '../engine/facts.js';
import { mergeSchemas, type Schema } from '../merge-schemas.js';
import type { RunSummary } from '../report/run-summary.js';
import { isJson } from '../rules/documented-response/response-description.js';
import { schemaFor } from './openapi-schema.js';

/** What several runs saw of one fact. */
export interface SeenInRuns {
  readonly id: string;
  readonly operation: string | undefined;
  readonly gap: string;
  readonly value: Json;
  readonly words: string;
  /** Reads of all runs. */
  readonly reads: number;
  readonly runs: number;
  /** When the last of the runs began, ISO 8601. */
  readonly last: string;
  readonly check: string;
  /** The runs, or two reads of one, differ in it. */
  readonly unsteady: boolean;
}

/** One action of the proposed overlay. */
export interface ProposedAction {
  /** JSONPath (RFC 9535). */
  readonly target: string;
  readonly update?: Json;
  readonly remove?: true;
  /** What it says of the API, for people. */
  readonly sentence: string;
  readonly facts: readonly SeenInRuns[];
  /** Why it is commented out; absent: it is in force. */
  readonly doubt?: string;
}

export interface Proposal {
  readonly title: string;
  readonly version: string;
  readonly runs: readonly { readonly target: string; readonly startedAt: string }[];
  readonly actions: readonly ProposedAction[];
}

/** Facts of all runs by id. */
const gather = (runs: readonly RunSummary[]): ReadonlyMap<string, SeenInRuns> => {
  const seen = runs.flatMap(({ facts = [], startedAt }) => facts.map((fact) => ({ fact, startedAt })));
  return new Map(
    [...groupBy(seen, ({ fact }) => fact.id)].flatMap(([id, each]): [string, SeenInRuns][] => {
      const shown = each.filter(({ fact }) => fact.reads > 0);
      const latest = shown.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))[0];
      if (!latest) return [];
      const values = shown.map(({ fact }) => fact.value);
      const isSchema = factName(latest.fact) === 'schema';
      const { operation, gap, words, check } = latest.fact;
      return [
        [
          id,
          {
            id,
            operation,
            gap,
            value: isSchema ? (mergeSchemas(values as readonly Schema[]) ?? null) : latest.fact.value,
            words,
            reads: shown.reduce((sum, { fact }) => sum + fact.reads, 0),
            runs: shown.length,
            last: latest.startedAt,
            check,
            unsteady:
              shown.some(({ fact }) => fact.volatile === true) ||
              (!isSchema && new Set(values.map(canonicalText)).size > 1),
          },
        ],
      ];
    }),
  );
};

/** A name selector of JSONPath (RFC 9535, section 2.3.1). */
const selector = (name: string): string => `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;

const targetOf = ({ path, documentedPath = path, method }: Operation): string =>
  `$.paths${selector(documentedPath)}.${method.toLowerCase()}`;

const lookedAtOnce = 'it was read once; a second run makes it sure';

/** Why a fact is not proposed as it is. */
const doubtOf = (facts: readonly SeenInRuns[]): string | undefined => {
  if (facts.some(({ unsteady }) => unsteady)) return 'reads differ in it';
  return facts.some(({ reads }) => reads < 2) ? lookedAtOnce : undefined;
};

type Answer = { readonly status: number; readonly mediaType: string; readonly body?: Json };

const answerIn = (fact: SeenInRuns | undefined): Answer | undefined => {
  const value = fact?.value;
  if (typeof value !== 'object' || value === null || !('status' in value)) return undefined;
  return value as unknown as Answer;
};

const withDoubt = (doubt: string | undefined): Pick<ProposedAction, 'doubt'> => (doubt === undefined ? {} : { doubt });

/**
 * A JSON body whose structure is not known is not promised: it may be none that a JSON parser
 * reads.
 */
const contentOf = (mediaType: string, schema: Json | undefined): { readonly content?: Json } => {
  if (mediaType === '' || (schema === undefined && isJson(mediaType))) return {};
  return { content: { [mediaType]: schema === undefined ? {} : { schema } } };
};

/** The answer that opens an operation, where the document does not describe it. */
const successOf = (operation: Operation, facts: ReadonlyMap<string, SeenInRuns>, version: string): ProposedAction[] => {
  const fact = facts.get(`answer@${operation.id}`);
  const answer = answerIn(fact);
  if (!fact || !answer || answer.status < 200 || answer.status > 299) return [];
  const known = operation.responses.find(({ status }) => status === String(answer.status));
  if (known && known.content.length > 0) return [];
  const schema = facts.get(`schema@${operation.id}`);
  const described = schema && !schema.unsteady && schema.reads > 1 ? schemaFor(schema.value, version) : undefined;
  const used = [fact, ...(described === undefined ? [] : [schema as SeenInRuns])];
  return [
    {
      target: `${targetOf(operation)}.responses`,
      update: {
        [String(answer.status)]: {
          ...(known ? {} : { description: 'What opens, as it was seen.' }),
          ...contentOf(answer.mediaType, described),
        },
      },
      sentence: `${operation.method} ${operation.path} is answered with ${answer.status}${answer.mediaType === '' ? '' : ` as ${answer.mediaType}`}${described === undefined ? '' : ', in a body of this structure'}.`,
      facts: used,
      ...withDoubt(doubtOf(used)),
    },
  ];
};

/** How a request without a key is refused. */
const refusalOf = (operation: Operation, facts: ReadonlyMap<string, SeenInRuns>, version: string): ProposedAction[] => {
  const fact = facts.get(`refusal-without-key@${operation.id}`);
  const answer = answerIn(fact);
  if (operation.access !== 'protected' || !fact || !answer || answer.status < 300) return [];
  const known = operation.responses.find(({ status }) => status === String(answer.status));
  if (known?.refusal) return [];
  const body = answer.body === undefined ? undefined : schemaFor(answer.body, version);
  return [
    {
      target: `${targetOf(operation)}.responses`,
      update: {
        [String(answer.status)]: {
          ...(known ? {} : { description: 'What a request without a key gets, as it was seen.' }),
          'x-access-refusal': true,
          ...(known && known.content.length > 0 ? {} : contentOf(answer.mediaType, body)),
        },
      },
      sentence: `Without a key, ${operation.method} ${operation.path} is refused with ${answer.status}${answer.mediaType === '' ? '' : ` as ${answer.mediaType}`}.`,
      facts: [fact],
      ...withDoubt(doubtOf([fact])),
    },
  ];
};

/** A path that was assumed, and answered. */
const assumedPathOf = (operation: Operation, facts: ReadonlyMap<string, SeenInRuns>): ProposedAction[] => {
  const fact = facts.get(`assumed-path@${operation.id}`);
  const answer = answerIn(facts.get(`answer@${operation.id}`));
  if (!operation.assumedPath || !fact || !answer || answer.status < 200 || answer.status > 299) return [];
  if (operation.documentedPath !== undefined && operation.documentedPath !== operation.path) return [];
  return [
    {
      target: `${targetOf(operation)}['x-access-assumed-path']`,
      remove: true,
      sentence: `${operation.id} is at ${operation.path}.`,
      facts: [fact],
    },
  ];
};

/** `default` without content allows every status, so that nothing else could be judged. */
const silentDefaultOf = (operation: Operation): ProposedAction[] =>
  operation.silentDefault
    ? [
        {
          target: `${targetOf(operation)}.responses.default`,
          remove: true,
          sentence: `${operation.method} ${operation.path} has no other answers than those described.`,
          facts: [],
        },
      ]
    : [];

/** Operations that are stated closed and were seen open: a hole, or an error of the document. */
const opened = (
  contract: Contract,
  runs: readonly RunSummary[],
  facts: ReadonlyMap<string, SeenInRuns>,
): ProposedAction[] => {
  const open = new Set(
    runs.flatMap(({ checks }) =>
      checks.flatMap(({ cause, outcome, operation }) =>
        cause?.id === 'opens-without-key' && outcome === 'failed' ? [operation] : [],
      ),
    ),
  );
  const operations = contract.operations.filter(({ id }) => open.has(id));
  return [...groupBy(operations, ({ method }) => method)].map(([method, each]) => ({
    target: `$.paths[${each.map(({ path, documentedPath = path }) => selector(documentedPath).slice(1, -1)).join(',')}].${method.toLowerCase()}`,
    update: { security: [] },
    sentence: `${each.map(({ path }) => `${method} ${path}`).join(', ')} ${each.length === 1 ? 'opens' : 'open'} without a key although the document asks for one. Hole in the service, or error of the document?`,
    facts: each.flatMap(({ id }) => facts.get(`refusal-without-key@${id}`) ?? []),
    doubt: 'only a person can tell a hole from an error of the document',
  }));
};

/**
 * The sentences that an overlay adds to a contract with sentences of its own, each from its gap.
 */
const sentencesOf = (contract: Contract, actions: readonly ProposedAction[]): ProposedAction[] => {
  if (!contract.clauses.some(({ position }) => position !== undefined)) return [];
  const inForce = actions.filter(({ doubt }) => doubt === undefined);
  const has = (part: (action: ProposedAction) => boolean): boolean => inForce.some(part);
  const responses = (action: ProposedAction): string => JSON.stringify(action.update ?? '');
  const rows = [
    {
      clause: 'DOC-1',
      text: 'An operation answers with one of its documented statuses.',
      applies: has((action) => /"\d{3}":/.test(responses(action))),
      gaps: [],
    },
    {
      clause: 'DOC-2',
      text: 'The body of an answer has a documented media type and fits its schema.',
      applies: has((action) => responses(action).includes('"content"')),
      gaps: ['GAP-BODIES', 'GAP-FIELDS'],
    },
    {
      clause: 'DOC-3',
      text: 'A request without a key is refused with the documented response.',
      applies: has((action) => responses(action).includes('"x-access-refusal"')),
      gaps: [],
    },
  ].filter(
    ({ clause, applies }) =>
      applies && contract.clauses.every(({ id, position }) => id !== clause || position === undefined),
  );
  const moved = new Set([
    ...rows.flatMap(({ gaps }) => gaps),
    ...(has(({ target }) => target.endsWith("['x-access-assumed-path']")) ? ['GAP-PUBLIC-PATHS'] : []),
  ]);
  return [
    ...(rows.length === 0
      ? []
      : [
          {
            target: `$['x-access-clauses']`,
            update: rows.map(({ clause, text }) => ({ id: clause, text, source: 'proposed' })),
            sentence: rows.map(({ clause, text }) => `${clause}: ${text}`).join(' '),
            facts: [],
          } satisfies ProposedAction,
        ]),
    ...contract.gaps
      .filter(({ id }) => moved.has(id))
      .map(
        ({ id, question }): ProposedAction => ({
          target: `$['x-access-gaps'][?@.id == '${id}']`,
          remove: true,
          sentence: `The contract no longer leaves open: ${question}`,
          facts: [],
        }),
      ),
  ];
};

/**
 * What runs of one contract saw, as an overlay that says it as contract. What was read once, what
 * differs between reads, and what would turn a hole into contract is commented out.
 */
export const proposalOf = (contract: Contract, runs: readonly RunSummary[]): Proposal => {
  const facts = gather(runs);
  const perOperation = contract.operations.flatMap((operation) => {
    const described = [
      ...successOf(operation, facts, contract.specification),
      ...refusalOf(operation, facts, contract.specification),
    ];
    const sure = described.some(({ doubt }) => doubt === undefined);
    return [...(sure ? silentDefaultOf(operation) : []), ...described, ...assumedPathOf(operation, facts)];
  });
  const { title, version } = contract;
  return {
    title,
    version,
    runs: runs.map(({ target, startedAt }) => ({ target: target.name, startedAt })),
    actions: [...perOperation, ...sentencesOf(contract, perOperation), ...opened(contract, runs, facts)],
  };
};
