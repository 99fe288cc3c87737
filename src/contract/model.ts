/**
 * The normalised contract: what an OpenAPI document says about access. No other folder reads
 * OpenAPI.
 */

export type Access = 'public' | 'protected' | 'unstated';

/** A position in a source file; lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Where tokens are got: the token URL of each flow that the suite knows, and the discovery document
 * of OpenID Connect, as the document writes them. They may be relative.
 */
export interface TokenUrls {
  readonly clientCredentials?: string;
  readonly password?: string;
  readonly discovery?: string;
}

/** A normalised security scheme: how one key is sent. */
export interface SecurityScheme {
  /** Name of the scheme in `components.securitySchemes`. */
  readonly name: string;
  readonly in: 'header' | 'query' | 'cookie';
  /** Header, query parameter or cookie name, as the document spells it. */
  readonly field: string;
  /** Text in front of the key with its separator (`'Token '`, `'Bearer '`, `''`). */
  readonly prefix: string;
  /** `base64` for HTTP Basic, whose key is `user:password`; else `plain`. */
  readonly encoding: 'plain' | 'base64';
  /** Set where `prefix` is a scheme of HTTP, whose case means nothing (RFC 9110, section 11.1). */
  readonly ignoresCase?: true;
  /**
   * Set where prose alone names the prefix, or nothing does: a server that takes another one is not
   * at fault.
   */
  readonly doubt?: string;
  /** Set for a scheme of OAuth 2.0 or OpenID Connect. */
  readonly oauth?: TokenUrls;
  /** Setting of the key: `API_KEY`; with several schemes `API_KEY_<SCHEME>`. */
  readonly setting: string;
  /** API_KEY is sent for it, and may be the key of another one of several schemes. */
  readonly guessed?: true;
}

export interface MediaTypeSchema {
  readonly mediaType: string;
  /** JSON Schema 2020-12; its `$ref`s are keys of `Contract.schemas`. */
  readonly schema?: unknown;
  readonly position: SourcePosition;
}

/** A response that the document promises. `status` is `'200'`, `'2XX'` or `'default'`. */
export interface DocumentedResponse {
  readonly status: string;
  /** `x-access-refusal: true`: what a request without a key gets. */
  readonly refusal?: true;
  /** Names of required header fields; absent where there are none. */
  readonly fields?: readonly string[];
  readonly content: readonly MediaTypeSchema[];
  readonly position: SourcePosition;
}

/** An id that names nothing, made anew in each run. */
export interface RandomId {
  /** The text in `target` and `headers` that it replaces. */
  readonly standIn: string;
  readonly kind: 'integer' | 'uuid';
  /** Each label has an id of its own. */
  readonly label: string;
}

/** One scheme of a security requirement, with the scopes or roles that its key has to hold. */
export interface StatedScheme {
  readonly name: string;
  /** All of these; empty where any key of the scheme will do. */
  readonly scopes: readonly string[];
}

export interface Operation {
  /** `operationId`, or `GET /path` where the document names none. Unique within the contract. */
  readonly id: string;
  readonly method: string;
  /** Path template of the document, for example `/api/v2/workout/`. */
  readonly path: string;
  /** The path in the document, where a setting replaced it. */
  readonly documentedPath?: string;
  /** Path and query to append to the base URL, parameters filled in, exactly as sent. */
  readonly target: string;
  /** The target with other listed values of its required parameters. */
  readonly otherTarget?: string;
  /** Required header parameters. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Parameters that requests leave out: `page=2` in the query, or a header field. */
  readonly optional?: readonly (string | Operation['headers'][number])[];
  /** Where `owned`: the names of its parameters in the query and in fields. */
  readonly parameterNames?: readonly { readonly in: 'query' | 'header'; readonly name: string }[];
  /** Required parameters outside the path with a value of PARAMETERS or an example. */
  readonly chosen?: readonly string[];
  /** What stands for the parameters of an operation that may change something. */
  readonly randomIds?: readonly RandomId[];
  readonly access: Access;
  /**
   * Schemes that are sent together: the first alternative whose keys are set. Empty when public.
   */
  readonly security: readonly SecurityScheme[];
  /** The document's other alternatives. */
  readonly alternatives?: readonly (readonly SecurityScheme[])[];
  /**
   * The operation has its own non-empty `security`, to which an overlay's update would only add.
   */
  readonly ownSecurity?: true;
  /**
   * Every alternative as the document states it, with scopes, whether a key can be sent by it or
   * not; absent where none states a scope.
   */
  readonly requirements?: readonly (readonly StatedScheme[])[];
  /** `x-access-owned`: what it gives belongs to one account. */
  readonly owned?: true;
  /** `x-access-owner`: JSON Pointer into a row, to what names its owner. */
  readonly owner?: string;
  /** The identity whose keys `security` names, if not the holder of the usual settings. */
  readonly asker?: string;
  /** The operation with the usual settings, where `asker` is set. */
  readonly asDocumented?: Operation;
  /** Set where the path is an assumption; names the setting that replaces it. */
  readonly assumedPath?: { readonly setting: string };
  /**
   * Texts in `target` that stand for values which are read from the service itself (`<ID_1>`), each
   * with where it is read: the wire client puts them in.
   */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** Set beside `placeholders`: takes made-up values where those must not be sent. */
  readonly withoutReadValues?: Fillable;
  /** The sources of `placeholders` for code: operation and JSON Pointer. */
  readonly readFrom?: Readonly<Record<string, { readonly operation: string; readonly pointer: string }>>;
  /**
   * Set where examples of the document stand for parameters of the path. They may name nothing on
   * this deployment; values that it gives itself can take their place.
   */
  readonly exampled?: Fillable;
  /** Set where the key is not sent to it, so that only a refusal can be read from its answers. */
  readonly keyless?: Keyless;
  /** Empty where the document promises nothing about responses. */
  readonly responses: readonly DocumentedResponse[];
  /** Its `responses` have a `default` without content, which allows every answer. */
  readonly silentDefault?: true;
  readonly position: SourcePosition;
}

/** A required parameter that neither PARAMETERS nor the document gives a value for. */
export interface MissingParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'querystring';
  /** `integer`, `string`…, where the schema has one type. */
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly maxLength?: number;
}

/** By name: placeholders for parameters without a value, or values that need no encoding. */
export type FilledIn = ReadonlyMap<string, string>;

/** An operation that lacks nothing but values of parameters. */
export interface Fillable {
  readonly missing: readonly MissingParameter[];
  /**
   * The operation with texts for `missing`; `undefined` where a parameter has none, or its style
   * has no place for one.
   */
  fill(values: FilledIn): Operation | undefined;
}

/** Why the key is not sent to an operation that is asked without one. */
export interface Keyless {
  readonly cause: 'no-value' | 'only-redirects' | 'changes-something';
  /** As the end of a sentence: `the value for id is made up`. */
  readonly why: string;
  /** What would let the key be sent, as a sentence. */
  readonly advice: string;
}

/**
 * Why an operation is not probed. `write` and `method` are excluded on purpose; the others are gaps
 * in what is judged.
 */
export type UnprobedReason =
  /** The operation may change something. */
  | 'write'
  /** OPTIONS, TRACE, or HEAD beside GET. */
  | 'method'
  | 'left-out'
  | 'access-unstated'
  /** Its security schemes cannot be satisfied by a key. */
  | 'no-scheme'
  | 'other-server'
  | 'needs-body'
  | 'only-redirects'
  | 'no-value'
  /** A write for which no random id can be made. */
  | 'no-random-id'
  | 'changes-something'
  | 'cannot-be-sent';

export interface UnprobedOperation
  extends Pick<Operation, 'id' | 'method' | 'path' | 'access' | 'requirements' | 'owned'> {
  readonly why: UnprobedReason;
  /** Details of `why`: methods, parameters, schemes, a server. */
  readonly details?: readonly string[];
  /** A line that would get it judged: a setting, or an action of an overlay. */
  readonly mend?: string;
  /** A sentence that says why and what would change it. */
  readonly reason: string;
  /** Set where nothing but values of parameters keeps it from being probed. */
  readonly fillable?: Fillable;
}

/**
 * A link of an OpenAPI document (3.1, section 4.8.20): an answer of one operation gives a parameter
 * of another.
 */
export interface DocumentLink {
  /** Ids of operations. */
  readonly from: string;
  readonly to: string;
  readonly parameter: string;
  /** JSON Pointer into the body of the answer. */
  readonly pointer: string;
}

/** One sentence of the contract. */
export interface Clause {
  readonly id: string;
  /** What it asks for in about three words: `closed without key`. */
  readonly short?: string;
  readonly text: string;
  /** Section of the source document, for example `5.3`. */
  readonly source: string;
  readonly position?: SourcePosition;
  /** Ids of the operations that it is about; absent where it is about all. */
  readonly operations?: readonly string[];
  /** Why it cannot be judged: it is about something that the document does not have. */
  readonly excluded?: string;
}

/** A question that the contract leaves open. */
export interface Gap {
  readonly id: string;
  readonly question: string;
  readonly source: string;
  /** Why no request can answer it. */
  readonly excluded?: string;
}

/** A problem or warning: where it is, and what to do. */
export interface ContractProblem extends SourcePosition {
  readonly message: string;
  readonly hint?: string;
}

/** An overlay that was applied to the document: its path as the user named it, and its checksum. */
export type AppliedOverlay = Pick<Contract, 'file' | 'sha256'>;

export interface Contract {
  readonly title: string;
  readonly version: string;
  /** Path of the document as the user named it. */
  readonly file: string;
  /** Hex SHA-256 of the document's bytes, overlays applied. */
  readonly sha256: string;
  /** Overlays in the order in which they were applied; empty where there were none. */
  readonly overlays: readonly AppliedOverlay[];
  /** Version of the OpenAPI Specification: `3.0`, `3.1` or `3.2`. */
  readonly specification: string;
  /** First server of the document, when it is a usable https URL; BASE_URL replaces it. */
  readonly server?: string;
  /** Paths of the document's servers without a trailing slash: what BASE_URL may have to end in. */
  readonly serverPaths: readonly string[];
  readonly clauses: readonly Clause[];
  readonly gaps: readonly Gap[];
  /** Operations that a run probes, in document order. */
  readonly operations: readonly Operation[];
  /** The rest, each with the reason. */
  readonly unprobed: readonly UnprobedOperation[];
  /** Whether PARAMETERS gave a value; absent where it did not. */
  readonly hasGivenValues?: true;
  /** Links between operations; absent where the document has none. */
  readonly links?: readonly DocumentLink[];
  readonly schemes: readonly SecurityScheme[];
  /** Referenced schemas, by the `$ref` that names them. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** Warnings: an overlay action that matches nothing, a key that nothing uses. */
  readonly warnings: readonly ContractProblem[];
}
