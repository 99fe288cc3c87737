import { randomBytes } from 'node:crypto';
import { nearestName } from '../did-you-mean.js';
import { asset } from '../package.js';
import type { ReferenceOptions, ReferenceService } from '../reference/index.js';
import { type Arguments, type Flags, textFlag, UsageError } from './command.js';

/** Flags that select the embedded service, and a fault or a variant of it. */
export const behaviourFlags: Flags = {
  demo: {
    value: 'roles',
    doc: 'Start another embedded service: accounts, roles and owned items, with an OpenAPI document and identities of its own.',
  },
  fault: {
    value: 'NAME',
    doc: 'Switch one fault of the embedded service on; access-conformance serve --list names them.',
  },
  variant: {
    value: 'NAME',
    doc: 'Make the embedded service another conforming one; serve --list names them too.',
  },
};

/** A fault or a variant of the API or of the key page. */
interface Behaviour<Name extends string = string> {
  readonly name: Name;
  readonly title: string;
  /** Clauses that it breaks. */
  readonly clauses?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly verdict?: string;
}

/** Every fault and variant that `--fault` and `--variant` accept; those of `--demo roles` apart. */
export const behaviours = async () => {
  const { faults, variants, rolesFaults, rolesVariants } = await import('../reference/index.js');
  const { pageFaults, pageVariants } = await import('../reference/pages/pages.js');
  return { faults, variants, pageFaults, pageVariants, rolesFaults, rolesVariants };
};

/** What `--fault` and `--variant` name. */
interface Chosen {
  readonly fault: Behaviour | undefined;
  readonly variant: Behaviour | undefined;
}

export interface Embedded extends Chosen {
  readonly service: ReferenceService;
  /** Settings of a run against it, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables that its identities name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings of its key page, by name; its user has no key yet. None where it has no such page. */
  readonly pageSettings: Readonly<Record<string, string>>;
}

const named = (kind: string, entries: readonly Behaviour[], name: string | undefined): Behaviour | undefined => {
  if (name === undefined) return undefined;
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  const meant = nearestName(name, entries);
  throw new UsageError(
    `the embedded service has no ${kind} "${name}".`,
    meant ? `did you mean ${meant}?` : `access-conformance serve --list names every ${kind}`,
  );
};

/** Turns the error of a port that is taken or forbidden into a usage error. */
const portTrouble = (error: unknown): unknown => {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return new UsageError(`port ${port} is taken.`, 'choose another one, or 0 for any free one');
  if (code === 'EACCES')
    return new UsageError(
      `port ${port} may not be opened by this user.`,
      'choose one above 1023, or 0 for any free one',
    );
  return error;
};

type Ports = Pick<ReferenceOptions, 'port' | 'httpPort'>;

const chosenOf = (
  input: Arguments,
  known: { readonly faults: readonly Behaviour[]; readonly variants: readonly Behaviour[] },
): Chosen => ({
  fault: named('fault', known.faults, textFlag(input, 'fault')),
  variant: named('variant', known.variants, textFlag(input, 'variant')),
});

const started = <T>(starting: Promise<T>): Promise<T> =>
  starting.catch((error: unknown) => {
    throw portTrouble(error);
  });

/** Settings of a run against a service, by name. */
const settingsOf = (
  { baseUrl, httpBaseUrl, caFile }: Pick<ReferenceService, 'baseUrl' | 'httpBaseUrl' | 'caFile'>,
  own: Readonly<Record<string, string>>,
  { fault, variant }: Chosen,
): Readonly<Record<string, string>> => ({
  BASE_URL: baseUrl,
  HTTP_BASE_URL: httpBaseUrl,
  CA_FILE: caFile,
  ...own,
  ...variant?.settings,
  ...fault?.settings,
});

/** Starts the service of `--demo roles`. */
const startRolesDemo = async (input: Arguments, ports: Ports): Promise<Embedded> => {
  const { rolesFaults, rolesVariants } = await behaviours();
  const { startRoles } = await import('../reference/index.js');
  const chosen = chosenOf(input, { faults: rolesFaults, variants: rolesVariants });
  const { fault, variant } = chosen;
  const { service, variables } = await started(
    startRoles({
      ...ports,
      ...(fault ? { fault: fault.name } : {}),
      ...(variant ? { variant: variant.name } : {}),
    }),
  );
  const own = {
    CONTRACT: asset('openapi', 'accounts-and-roles.yaml'),
    IDENTITIES: asset('docs', 'examples', 'identities.yaml'),
  };
  return {
    service,
    ...chosen,
    settings: settingsOf(service, own, chosen),
    variables,
    pageSettings: {},
  };
};

/**
 * Starts the embedded service, with its key page, as `--demo`, `--fault` and `--variant` say.
 * @throws {UsageError} for a name that it does not know, or a port that is taken.
 */
export const startEmbedded = async (input: Arguments, options: Ports = {}): Promise<Embedded> => {
  const demo = textFlag(input, 'demo');
  if (demo === 'roles') return startRolesDemo(input, options);
  if (demo !== undefined) throw new UsageError(`--demo is "${demo}".`, 'allowed: roles');
  const { faults, variants, pageFaults, pageVariants } = await behaviours();
  const { startReference } = await import('../reference/index.js');
  const { createPages } = await import('../reference/pages/pages.js');
  const chosen = chosenOf(input, {
    faults: [...faults, ...pageFaults],
    variants: [...variants, ...pageVariants],
  });
  const { fault, variant } = chosen;
  const pageFault = pageFaults.find(({ name }) => name === fault?.name)?.name;
  const pageVariant = pageVariants.find(({ name }) => name === variant?.name)?.name;
  const user = { name: 'bo', password: randomBytes(9).toString('base64url') };
  let path = '';
  const service = await started(
    startReference({
      ...options,
      ...(fault && !pageFault ? { fault: fault.name } : {}),
      ...(variant && !pageVariant ? { variant: variant.name } : {}),
      pages: (keys) => {
        const pages = createPages({ keys, users: [user], fault: pageFault, variant: pageVariant });
        path = pages.path;
        return pages;
      },
    }),
  );
  const own = { API_KEY: service.key, ...(service.resolve === undefined ? {} : { RESOLVE: service.resolve }) };
  return {
    service,
    ...chosen,
    settings: settingsOf(service, own, chosen),
    variables: {},
    pageSettings: {
      KEY_PAGE_URL: new URL(service.baseUrl).origin + path,
      WEB_USERNAME: user.name,
      WEB_PASSWORD: user.password,
      KEY_PAGE_GENERATE: 'true',
    },
  };
};
