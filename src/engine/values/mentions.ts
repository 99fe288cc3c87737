import { isMembers } from './rows.js';
import { isSingularOf, plainName } from './template.js';

const mostScalars = 20_000;

/**
 * Counts how many answers contain a value. What other answers refer to is in use, so its
 * sub-resources probably exist.
 */
export class Mentions {
  /** Counts by value, and by the name of the member with it. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Adds an answer. A value counts once for each member name. */
  note(body: unknown): void {
    const seen = new Set<string>();
    let scalars = 0;
    const look = (value: unknown, name: string): void => {
      if (scalars > mostScalars) return;
      if (Array.isArray(value)) for (const item of value) look(item, name);
      else if (isMembers(value)) for (const [member, own] of Object.entries(value)) look(own, plainName(member));
      else if (typeof value === 'string' || typeof value === 'number') {
        scalars += 1;
        const mention = `${name} ${value}`;
        if (seen.has(mention)) return;
        seen.add(mention);
        const byName = this.#counts.get(String(value)) ?? new Map<string, number>();
        byName.set(name, (byName.get(name) ?? 0) + 1);
        this.#counts.set(String(value), byName);
      }
    };
    look(body, '');
  }

  /** Number of answers with a value under the parameter's name, or that of its collection. */
  of(value: string, { name, noun }: { readonly name: string; readonly noun: string }): number {
    let count = 0;
    for (const [member, times] of this.#counts.get(value) ?? []) {
      const stem = member.replace(/(?:id|pk|uuid|slug|key|name)$/, '');
      if (member === plainName(name) || (noun !== '' && (isSingularOf(member, noun) || isSingularOf(stem, noun))))
        count += times;
    }
    return count;
  }
}
