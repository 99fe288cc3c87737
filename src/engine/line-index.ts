/** Slots to begin with, and the share of them that may be taken before their number doubles. */
const firstSlots = 1024;
const fullest = 0.75;

/**
 * Line numbers by exchange id (twelve hex digits, 48 bits: a double holds them exactly), in typed arrays: a run of 10,000 operations has
 * 760,000 of them, and a `Map` takes three times the memory, and again as much whenever it grows.
 */
export class LineIndex {
  /** The id's number plus one; 0 is a free slot. */
  #ids = new Float64Array(firstSlots);
  #lines = new Uint32Array(firstSlots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: string): number | undefined {
    const number = numberOf(id);
    const slot = this.#slotOf(number);
    return this.#ids[slot] === number ? this.#lines[slot] : undefined;
  }

  set(id: string, line: number): void {
    if (this.#size >= this.#ids.length * fullest) this.#grow();
    if (this.#put(numberOf(id), line)) this.#size += 1;
  }

  /** @returns true when the id was not there before */
  #put(number: number, line: number): boolean {
    const slot = this.#slotOf(number);
    const isNew = this.#ids[slot] === 0;
    this.#ids[slot] = number;
    this.#lines[slot] = line;
    return isNew;
  }

  /** Where the id is, or where it goes. Ids are digests, so their last bits are as good as any hash. */
  #slotOf(number: number): number {
    const mask = this.#ids.length - 1;
    let slot = (number >>> 0) & mask;
    while (this.#ids[slot] !== 0 && this.#ids[slot] !== number) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [ids, lines] = [this.#ids, this.#lines];
    this.#ids = new Float64Array(ids.length * 2);
    this.#lines = new Uint32Array(ids.length * 2);
    for (const [slot, number] of ids.entries()) if (number !== 0) this.#put(number, lines[slot] ?? 0);
  }
}

const numberOf = (id: string): number => Number.parseInt(id, 16) + 1;
