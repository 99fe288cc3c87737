import type { Fault, ReferenceOptions, ReferenceService, Variant } from '../reference/index.js';
import { nearest } from '../target/nearest.js';
import { type Arguments, type Flag, textFlag, UsageError } from './command.js';

/** The flags that choose what the embedded service does wrong, or otherwise. */
export const behaviourFlags: readonly Flag[] = [
  {
    name: 'fault',
    kind: 'text',
    value: 'NAME',
    doc: 'Switch one fault of the embedded service on; access-conformance serve --list names them.',
  },
  {
    name: 'variant',
    kind: 'text',
    value: 'NAME',
    doc: 'Make the embedded service another conforming one; serve --list names them too.',
  },
];

export interface Embedded {
  readonly service: ReferenceService;
  readonly fault: Fault | undefined;
  readonly variant: Variant | undefined;
  /** Settings of a run against it, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

const named = <T extends { readonly name: string }>(
  kind: string,
  entries: readonly T[],
  name: string | undefined,
): T | undefined => {
  if (name === undefined) return undefined;
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const meant = nearest(name, entries);
  throw new UsageError(
    `the embedded service has no ${kind} "${name}".`,
    meant ? `did you mean ${meant}?` : `access-conformance serve --list names every ${kind}`,
  );
};

/**
 * Starts the embedded service as `--fault` and `--variant` say.
 * @throws {UsageError} for a name that it does not know, or a port that is taken.
 */
export const startEmbedded = async (
  input: Arguments,
  options: Pick<ReferenceOptions, 'port' | 'httpPort'> = {},
): Promise<Embedded> => {
  const { faults, startReference, variants } = await import('../reference/index.js');
  const fault = named('fault', faults, textFlag(input, 'fault'));
  const variant = named('variant', variants, textFlag(input, 'variant'));
  let service: ReferenceService;
  try {
    service = await startReference({
      ...options,
      ...(fault ? { fault: fault.name } : {}),
      ...(variant ? { variant: variant.name } : {}),
    });
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number };
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${port} is taken.`, 'choose another one, or 0 for any free one');
    if (code === 'EACCES')
      throw new UsageError(
        `port ${port} may not be opened by this user.`,
        'choose one above 1023, or 0 for any free one',
      );
    throw error;
  }
  return {
    service,
    fault,
    variant,
    settings: {
      BASE_URL: service.baseUrl,
      HTTP_BASE_URL: service.httpBaseUrl,
      API_KEY: service.key,
      CA_FILE: service.caFile,
      ...variant?.settings,
      ...fault?.settings,
    },
  };
};
