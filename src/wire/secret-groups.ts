import type { Secret } from './secret-spellings.js';

/** Secrets that are learned during a run, and searched for in groups. */

interface SecretGroup {
  readonly secrets: readonly Secret[];
  redact?: (text: string) => string;
}

interface GroupLimits {
  /** Maximum number of secrets in one group, if a power of two. */
  readonly together?: number;
  /** Maximum number of all secrets. The oldest are dropped. */
  readonly most?: number;
}

/**
 * Groups of secrets whose sizes are powers of two, and distinct below `together`, so that few
 * redactors are rebuilt for each new secret.
 */
export const createSecretGroups = (
  redactorOf: (secrets: readonly Secret[]) => (text: string) => string,
  { together = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY }: GroupLimits = {},
) => {
  const groups: SecretGroup[] = [];
  const all = (): readonly Secret[] => groups.flatMap(({ secrets }) => secrets);

  const merged = (secrets: readonly Secret[]): readonly Secret[] => {
    const last = groups.at(-1);
    if (last?.secrets.length !== secrets.length || secrets.length >= together) return secrets;
    groups.pop();
    return merged([...last.secrets, ...secrets]);
  };

  return {
    has: (value: string): boolean => all().some((secret) => secret.value === value),
    /** Returns the secrets that are dropped. */
    add: (secret: Secret): readonly Secret[] => {
      groups.push({ secrets: merged([secret]) });
      const dropped: Secret[] = [];
      while (all().length > most) dropped.push(...(groups.shift()?.secrets ?? []));
      return dropped;
    },
    redact: (text: string): string => {
      let safe = text;
      for (const group of groups) {
        group.redact ??= redactorOf(group.secrets);
        safe = group.redact(safe);
      }
      return safe;
    },
  };
};
