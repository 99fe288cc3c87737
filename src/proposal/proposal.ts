import { groupBy, type Json, present } from '../collections.js';
import { genericText } from '../contract/clauses.js';
import type { Contract, Operation } from '../contract/model.js';
import { shellWord } from '../engine/shell-words.js';
import type { RunSummary } from '../report/run-summary.js';
import { isJson } from '../rules/documented-response/response-description.js';
import { isSchema } from '../rules/support/body-schema.js';
import { counted } from '../words.js';
import { type SeenInRuns, seenIn } from './seen-in-runs.js';

export interface ProposedAction {
  /** JSONPath (RFC 9535). */
  readonly target: string;
  readonly update?: Json;
  readonly remove?: true;
  /** What it says of the API, for people. */
  readonly sentence: string;
  readonly facts: readonly SeenInRuns[];
  /** What it rests on beside facts: `2 actions above`. */
  readonly rests?: string;
  /** Why it is commented out; absent: it is in force. */
  readonly doubt?: string;
}

export interface Proposal {
  readonly title: string;
  readonly version: string;
  readonly runs: readonly { readonly target: string; readonly startedAt: string }[];
  /** Files of the overlays that were in force. The proposed one goes behind them. */
  readonly overlays: readonly string[];
  readonly actions: readonly ProposedAction[];
}

/** Name of the file that the proposal is written to, where no other is given. */
export const overlayName = 'proposed.overlay.yaml';

/** The setting that has the proposal judged, beside the overlays that the runs had. */
export const settingFor = ({ overlays }: Pick<Proposal, 'overlays'>, file: string): string =>
  `OVERLAY=${shellWord([...overlays, file].join(','))}`;

/** A name selector of JSONPath (RFC 9535, section 2.3.1). */
const selector = (name: string): string => `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;

const targetOf = ({ path, documentedPath = path, method }: Operation): string =>
  `$.paths${selector(documentedPath)}.${method.toLowerCase()}`;

const lookedAtOnce = 'it was read once; a second run makes it sure';

/** Why an action that rests on these facts is commented out. */
const doubtOf = (facts: readonly SeenInRuns[]): string | undefined => {
  if (facts.some(({ surety }) => surety === 'differs')) return 'reads differ in it';
  return facts.some(({ surety }) => surety === 'once') ? lookedAtOnce : undefined;
};

interface AnswerFact {
  readonly status: number;
  readonly mediaType: string;
  readonly challenges?: readonly string[];
  readonly body?: Json;
}

/** A fact that is an answer, with that answer. */
interface SeenAnswer {
  readonly fact: SeenInRuns;
  readonly answer: AnswerFact;
}

const answerOf = (facts: ReadonlyMap<string, SeenInRuns>, id: string): SeenAnswer | undefined => {
  const fact = facts.get(id);
  const value = fact?.value;
  if (!fact || typeof value !== 'object' || value === null || !('status' in value)) return undefined;
  return { fact, answer: value as unknown as AnswerFact };
};

/** The answer that opens an operation. */
const openAnswer = (facts: ReadonlyMap<string, SeenInRuns>, { id }: Operation): SeenAnswer | undefined => {
  const seen = answerOf(facts, `answer@${id}`);
  return seen && seen.answer.status >= 200 && seen.answer.status < 300 ? seen : undefined;
};

/** The facts of an action, and why it is commented out. */
const restingOn = (facts: readonly SeenInRuns[]): Pick<ProposedAction, 'facts' | 'doubt'> => {
  const doubt = doubtOf(facts);
  return { facts, ...(doubt === undefined ? {} : { doubt }) };
};

/** `401 as application/json` */
const answerWords = ({ status, mediaType }: AnswerFact): string =>
  `${status}${mediaType === '' ? '' : ` as ${mediaType}`}`;

const documentedAs = ({ responses }: Operation, { status }: AnswerFact) =>
  responses.find((response) => response.status === String(status));

/** A JSON body of unknown structure is not promised: it may be one that no JSON parser reads. */
const contentOf = (mediaType: string, schema: Json | undefined): { readonly content?: Json } => {
  if (mediaType === '' || (schema === undefined && isJson(mediaType))) return {};
  return { content: { [mediaType]: schema === undefined ? {} : { schema } } };
};

/** The answer that opens an operation, where the document does not describe it. */
const successOf = (operation: Operation, facts: ReadonlyMap<string, SeenInRuns>, version: string): ProposedAction[] => {
  const seen = openAnswer(facts, operation);
  if (!seen) return [];
  const { fact, answer } = seen;
  const known = documentedAs(operation, answer);
  if (known && known.content.length > 0) return [];
  const read = facts.get(`schema@${operation.id}`);
  const schema = read && (read.surety === 'same' || read.surety === 'merged') ? read : undefined;
  const response = {
    ...(known ? {} : { description: 'What opens, as it was seen.' }),
    ...contentOf(answer.mediaType, schema && schemaFor(schema.value, version)),
  };
  return [
    {
      target: `${targetOf(operation)}.responses`,
      update: { [String(answer.status)]: response },
      sentence: `${operation.method} ${operation.path} is answered with ${answerWords(answer)}${schema ? ', in a body of this structure' : ''}.`,
      ...restingOn(schema ? [fact, schema] : [fact]),
    },
  ];
};

/** How a request without a key is refused. */
const refusalOf = (operation: Operation, facts: ReadonlyMap<string, SeenInRuns>, version: string): ProposedAction[] => {
  const seen = answerOf(facts, `refusal-without-key@${operation.id}`);
  if (operation.access !== 'protected' || !seen || seen.answer.status < 300) return [];
  const { fact, answer } = seen;
  const known = documentedAs(operation, answer);
  if (known?.refusal) return [];
  const body = answer.body === undefined ? undefined : schemaFor(answer.body, version);
  const isChallenge = answer.challenges !== undefined;
  const response = {
    ...(known ? {} : { description: 'What a request without a key gets, as it was seen.' }),
    'x-access-refusal': true,
    ...(isChallenge ? { headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } } } : {}),
    ...(known && known.content.length > 0 ? {} : contentOf(answer.mediaType, body)),
  };
  return [
    {
      target: `${targetOf(operation)}.responses`,
      update: { [String(answer.status)]: response },
      sentence: `Without a key, ${operation.method} ${operation.path} is refused with ${answerWords(answer)}${isChallenge ? ', with a WWW-Authenticate field' : ''}.`,
      ...restingOn([fact]),
    },
  ];
};

/** A path that was assumed, and answered. */
const assumedPathOf = (operation: Operation, facts: ReadonlyMap<string, SeenInRuns>): ProposedAction[] => {
  const { id, path, documentedPath = path, assumedPath } = operation;
  const seen = openAnswer(facts, operation);
  if (!assumedPath || !seen || documentedPath !== path) return [];
  const target = `${targetOf(operation)}['x-access-assumed-path']`;
  return [{ target, remove: true, sentence: `${id} is at ${path}.`, ...restingOn([seen.fact]) }];
};

/** `default` without content allows every status, so that nothing else could be judged. */
const silentDefaultOf = (operation: Operation, described: readonly ProposedAction[]): ProposedAction[] => {
  if (!operation.silentDefault || described.length === 0) return [];
  const target = `${targetOf(operation)}.responses.default`;
  const sentence = `${operation.method} ${operation.path} has no other answers than those described.`;
  return [{ target, remove: true, sentence, facts: [], rests: `${counted(described.length, 'action')} below` }];
};

/** Operations that are stated closed and were seen open: a hole, or an error of the document. */
const opened = (
  contract: Contract,
  runs: readonly RunSummary[],
  facts: ReadonlyMap<string, SeenInRuns>,
): ProposedAction[] => {
  const holes = runs
    .flatMap(({ checks }) => checks)
    .filter(({ cause, outcome }) => cause?.id === 'opens-without-key' && outcome === 'failed');
  const ids = new Set(holes.map(({ operation }) => operation));
  const operations = contract.operations.filter(({ id }) => ids.has(id));
  return [...groupBy(operations, ({ method }) => method)].flatMap(([method, each]) => {
    const seen = {
      facts: each.flatMap(({ id }) => facts.get(`refusal-without-key@${id}`) ?? []),
      doubt: 'only a person can tell a hole from an error of the document',
    };
    const named = (some: readonly Operation[]): string => some.map(({ path }) => `${method} ${path}`).join(', ');
    const targetOfAll = (some: readonly Operation[]): string =>
      `$.paths[${some.map(({ path, documentedPath = path }) => selector(documentedPath).slice(1, -1)).join(',')}].${method.toLowerCase()}`;
    const own = each.filter(({ ownSecurity }) => ownSecurity);
    const asks = `${named(own)} ${own.length === 1 ? 'asks' : 'ask'}`;
    const remove: ProposedAction = {
      target: `${targetOfAll(own)}.security`,
      remove: true,
      sentence: `Goes with the next action, which would only add to the keys that ${asks} for.`,
      ...seen,
    };
    const open: ProposedAction = {
      target: targetOfAll(each),
      update: { security: [] },
      sentence: `${named(each)} ${each.length === 1 ? 'opens' : 'open'} without a key although the document asks for one. Hole in the service, or error of the document?`,
      ...seen,
    };
    return own.length > 0 ? [remove, open] : [open];
  });
};

/**
 * Actions that add clauses to a contract with its own clauses, and remove the gaps that they fill.
 */
const sentencesOf = (contract: Contract, actions: readonly ProposedAction[]): ProposedAction[] => {
  if (!contract.clauses.some(({ position }) => position !== undefined)) return [];
  const inForce = actions.filter(({ doubt }) => doubt === undefined);
  const saying = (text: RegExp): readonly ProposedAction[] =>
    inForce.filter(({ update }) => text.test(JSON.stringify(update ?? '')));
  const rows = [
    { clause: 'DOC-1', restsOn: saying(/"\d{3}":/), gaps: [] },
    { clause: 'DOC-2', restsOn: saying(/"content"/), gaps: ['GAP-BODIES', 'GAP-FIELDS'] },
    { clause: 'DOC-3', restsOn: saying(/"x-access-refusal"/), gaps: [] },
  ].filter(
    ({ clause, restsOn }) =>
      restsOn.length > 0 && contract.clauses.every(({ id, position }) => id !== clause || position === undefined),
  );
  const paths = inForce.filter(({ target }) => target.endsWith("['x-access-assumed-path']"));
  const assumed = contract.operations.filter(({ assumedPath }) => assumedPath !== undefined);
  const filled = [
    ...rows,
    ...(paths.length > 0 && paths.length === assumed.length ? [{ restsOn: paths, gaps: ['GAP-PUBLIC-PATHS'] }] : []),
  ];
  const above = ({ length }: readonly ProposedAction[]): string => `${counted(length, 'action')} above`;
  const clauses: ProposedAction = {
    target: `$['x-access-clauses']`,
    update: rows.map(({ clause }) => ({ id: clause, text: genericText(clause), source: 'proposed' })),
    sentence: rows.map(({ clause }) => `${clause}: ${genericText(clause)}`).join(' '),
    facts: [],
    rests: rows.map(({ clause, restsOn }) => `${above(restsOn)} (${clause})`).join(', '),
  };
  const gaps = contract.gaps.flatMap(({ id, question }): ProposedAction[] => {
    const by = filled.find((each) => each.gaps.includes(id));
    const target = `$['x-access-gaps'][?@.id == '${id}']`;
    const sentence = `The contract no longer leaves open: ${question}`;
    return by ? [{ target, remove: true, sentence, facts: [], rests: above(by.restsOn) }] : [];
  });
  return rows.length === 0 ? gaps : [clauses, ...gaps];
};

/**
 * What runs of one contract saw, as an overlay that says it as contract. What was read once, what
 * differs between reads, and what would turn a hole into contract is commented out.
 */
export const proposalOf = (contract: Contract, runs: readonly RunSummary[]): Proposal => {
  const facts = seenIn(runs);
  const { title, version, specification } = contract;
  const perOperation = contract.operations.flatMap((operation) => {
    const described = [...successOf(operation, facts, specification), ...refusalOf(operation, facts, specification)];
    const sure = described.filter(({ doubt }) => doubt === undefined);
    return [...silentDefaultOf(operation, sure), ...described, ...assumedPathOf(operation, facts)];
  });
  return {
    title,
    version,
    runs: runs.map(({ target, startedAt }) => ({ target: target.name, startedAt })),
    overlays: (runs[0]?.contract.overlays ?? []).map(({ file }) => file),
    actions: [...perOperation, ...sentencesOf(contract, perOperation), ...opened(contract, runs, facts)],
  };
};

/**
 * Converts a schema that was seen to one for an OpenAPI document: only names, types, required
 * members and formats. A value that was always null becomes the empty schema.
 * @param version of the OpenAPI Specification; 3.0 knows no type null
 */
const schemaFor = (seen: Json, version: string): Json => {
  if (!isSchema(seen)) return {};
  const types = Array.isArray(seen.type)
    ? (seen.type as readonly string[])
    : seen.type === undefined
      ? []
      : [String(seen.type)];
  const values = types.filter((type) => type !== 'null');
  const nullable = values.length < types.length;
  if (types.length > 0 && values.length === 0) return {};
  const { properties, items, additionalProperties: others } = seen;
  const [only] = values;
  const isOld = version === '3.0';
  // One keyword holds one type before 3.1.
  const type: Json | undefined =
    values.length === 0 || (isOld && values.length > 1)
      ? undefined
      : isOld || (!nullable && values.length === 1)
        ? (only as string)
        : [...values, ...(nullable ? ['null'] : [])];
  return present({
    type,
    nullable: isOld && nullable && type !== undefined ? true : undefined,
    format: seen.format,
    properties: isSchema(properties)
      ? Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, schemaFor(inner, version)]))
      : undefined,
    required: seen.required,
    additionalProperties: others === undefined ? undefined : schemaFor(others, version),
    // OpenAPI 3.0 wants items beside every array.
    ...(items === undefined ? (type === 'array' ? { items: {} } : {}) : { items: schemaFor(items, version) }),
  });
};
