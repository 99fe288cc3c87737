/**
 * The normalised contract: what an OpenAPI document says about access, and nothing else.
 * Everything behind `src/contract/` works on these types; no other module reads OpenAPI.
 */

export type Access = 'public' | 'protected' | 'unstated';

/** Where something stands in its source document; lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** How one key travels: a security scheme of the document, normalised. */
export interface SecurityScheme {
  /** Name of the scheme in `components.securitySchemes`. */
  readonly name: string;
  readonly in: 'header' | 'query' | 'cookie';
  /** Header, query parameter or cookie name, as the document spells it. */
  readonly field: string;
  /** Literal in front of the key including its separator (`'Token '`, `'Bearer '`, `''`). */
  readonly prefix: string;
  /** `base64` for HTTP Basic, whose setting holds `user:password`; `plain` for every other scheme. */
  readonly encoding: 'plain' | 'base64';
  /** A sentence, where `prefix` is not the document's plain word: a server that takes another is then not at fault. */
  readonly doubt?: string;
  /** The setting that holds this scheme's key: `API_KEY`, or `API_KEY_<SCHEME>` when the document has several schemes. */
  readonly setting: string;
}

export interface MediaTypeSchema {
  readonly mediaType: string;
  /** JSON Schema 2020-12, `$ref`s resolvable against `Contract.schemas`; `undefined` when the document gives none. */
  readonly schema?: unknown;
  readonly position: SourcePosition;
}

/** A response that the document promises. `status` is `'200'`, `'2XX'` or `'default'`. */
export interface DocumentedResponse {
  readonly status: string;
  readonly content: readonly MediaTypeSchema[];
  readonly position: SourcePosition;
}

export interface Operation {
  /** `operationId`, or `GET /path` where the document names none. Unique within the contract. */
  readonly id: string;
  readonly method: string;
  /** Path template of the document, for example `/api/v2/workout/`. */
  readonly path: string;
  /** The document's own, where a setting put another path in its place. */
  readonly documentedPath?: string;
  /** Path and query to append to the base URL, parameters filled in, exactly as sent. */
  readonly target: string;
  /** Required header parameters. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly access: Access;
  /** The schemes that travel together to open the operation (the first alternative of the document that can be satisfied). Empty when public. */
  readonly security: readonly SecurityScheme[];
  /** The document's other ways to open it, each of schemes that travel together; absent where there are none. */
  readonly alternatives?: readonly (readonly SecurityScheme[])[];
  /** Set where the path is our assumption, not the contract's word: the setting that replaces it. */
  readonly assumedPath?: { readonly setting: string };
  /** Empty where the document promises nothing about responses. */
  readonly responses: readonly DocumentedResponse[];
  readonly position: SourcePosition;
}

export interface UnprobedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: Access;
  /** A sentence that says why and what would change it. */
  readonly reason: string;
}

/** One sentence of the contract. */
export interface Clause {
  readonly id: string;
  readonly text: string;
  /** Section of the source document, for example `5.3`. */
  readonly source: string;
  readonly position?: SourcePosition;
  /** Ids of the operations that its sentence speaks of; absent where it speaks of all. */
  readonly operations?: readonly string[];
  /** Why it cannot be judged: its sentence speaks of something that the document does not have. */
  readonly excluded?: string;
}

/** What the contract says that it leaves open, as a question. */
export interface Gap {
  readonly id: string;
  readonly question: string;
  readonly source: string;
  /** Why nobody can observe it, where no request shows it. */
  readonly excluded?: string;
}

/** Something wrong or worth knowing in a document, where it stands, and what to do about it. */
export interface ContractProblem extends SourcePosition {
  readonly message: string;
  readonly hint?: string;
}

/** An overlay that was applied to the document. */
export interface AppliedOverlay {
  /** Path of the file as the user named it. */
  readonly file: string;
  /** Hex SHA-256 of its bytes. */
  readonly sha256: string;
}

export interface Contract {
  readonly title: string;
  readonly version: string;
  /** Path of the document as the user named it. */
  readonly file: string;
  /** Hex SHA-256 of the document's bytes, overlays applied. */
  readonly sha256: string;
  /** Overlays in the order in which they were applied; empty where there were none. */
  readonly overlays: readonly AppliedOverlay[];
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
  readonly schemes: readonly SecurityScheme[];
  /** Component schemas for `MediaTypeSchema.schema`, keyed as their `$ref` names them. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** What does not stop a run and ought to be said: an overlay action that matches nothing, a key that nothing uses. */
  readonly warnings: readonly ContractProblem[];
}
