export interface FetchedKey {
  readonly key: string;
  /** Expiry in milliseconds since the epoch; absent where it is not known. */
  readonly endsAt?: number;
  /** Other secrets of the same answer, such as a refresh token; never part of an artefact. */
  readonly secrets: readonly string[];
}

/** The fetched keys of a run, and a function that replaces them. */
export interface KeySupply {
  /** The keys that were fetched before the run, by setting. */
  readonly first: ReadonlyMap<string, FetchedKey>;
  /**
   * Fetches a new key.
   * @param held the current key, which has ended or is about to
   * @throws {KeyFetchError} which names the setting
   */
  readonly renew: (setting: string, held: string) => Promise<FetchedKey>;
}

const shortest = 8;
const longest = 8_192;
const mostPieces = 20;

/** A name, such as `access_token`. */
const isName = (text: string): boolean => text.length < 24 && /^[A-Za-z_]+:?$/.test(text);

/** Parts of a text that may be a key: the whole text, its lines, its words. */
const piecesOf = (text: string): readonly string[] =>
  [...new Set([text.trim(), ...text.split(/\r?\n/).map((line) => line.trim()), ...text.split(/[\s"'=,{}]+/)])]
    .filter((piece) => piece.length >= shortest && piece.length <= longest && !isName(piece))
    .slice(0, mostPieces);

/**
 * No key could be fetched. `message` is a sentence for people, without anything that the program
 * printed or the server answered.
 */
export class KeyFetchError extends Error {
  override readonly name = 'KeyFetchError';
  // Private, so that printing the error does not print the secrets.
  readonly #secrets: readonly string[];

  /** The setting that says how the key is fetched, such as `API_KEY_COMMAND`. */
  readonly from: string;

  constructor(message: string, secrets: readonly string[] = [], from = '') {
    super(message);
    this.from = from;
    this.#secrets = secrets.flatMap(piecesOf);
  }

  /** Parts of the output or answer that may be a key. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }
}
