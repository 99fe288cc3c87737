/** A key that was fetched. */
export interface FetchedKey {
  readonly key: string;
  /** When it ends; milliseconds since the epoch. Absent where nobody says. */
  readonly endsAt?: number;
  /** What came with it and must get into no artefact: a refresh token, an id token. */
  readonly secrets: readonly string[];
}

/** Fetches keys that end. */
export interface KeySupply {
  /** The keys as they were got for this run, by their settings. */
  readonly first: ReadonlyMap<string, FetchedKey>;
  /**
   * Gets a key anew.
   * @param held the key that is held, which has ended or is about to
   * @throws {KeyFetchError} which names the setting
   */
  readonly renew: (setting: string, held: string) => Promise<FetchedKey>;
}

const shortest = 8;
const longest = 8_192;
const mostPieces = 20;

/** A name, such as `access_token`. */
const isName = (text: string): boolean => text.length < 24 && /^[A-Za-z_]+:?$/.test(text);

/** The pieces of a text in any of which a key may be: the whole, its lines, its words. */
const piecesOf = (text: string): readonly string[] =>
  [...new Set([text.trim(), ...text.split(/\r?\n/).map((line) => line.trim()), ...text.split(/[\s"'=,{}]+/)])]
    .filter((piece) => piece.length >= shortest && piece.length <= longest && !isName(piece))
    .slice(0, mostPieces);

/**
 * No key was got. `message` is a sentence for people, without anything that was printed or
 * answered.
 */
export class KeyFetchError extends Error {
  override readonly name = 'KeyFetchError';
  // Private, so that nothing prints it with the error.
  readonly #secrets: readonly string[];

  /** The setting that says how the key is got: `API_KEY_COMMAND`. */
  readonly from: string;

  constructor(message: string, secrets: readonly string[] = [], from = '') {
    super(message);
    this.from = from;
    this.#secrets = secrets.flatMap(piecesOf);
  }

  /** Pieces of what was printed or answered: a key may be among them. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }
}
