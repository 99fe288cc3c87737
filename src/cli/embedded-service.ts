import { randomBytes } from 'node:crypto';
import { didYouMean } from '../names.js';
import { asset } from '../package.js';
import type { ReferenceOptions, ReferenceService } from '../reference/index.js';
import { type Arguments, type Flags, textFlag, UsageError } from './arguments.js';

/** Flags that select the embedded service, and a fault or a variant of it. */
export const behaviourFlags: Flags = {
  demo: {
    value: 'roles',
    doc: 'Start another embedded service: accounts, roles and owned items, with an OpenAPI document and identities of its own.',
  },
  fault: { value: 'NAME', doc: 'Switch one fault of the embedded service on; serve --list names them.' },
  variant: { value: 'NAME', doc: 'Make the embedded service another conforming one; serve --list names them too.' },
};

type SettingTexts = Readonly<Record<string, string>>;

/** A fault or a variant of the API or of the key page. */
interface ListedBehaviour {
  readonly name: string;
  readonly title: string;
  readonly clauses?: readonly string[];
  readonly settings?: SettingTexts;
  readonly verdict?: string;
}

interface Chosen {
  readonly fault: ListedBehaviour | undefined;
  readonly variant: ListedBehaviour | undefined;
}

interface Started {
  readonly service: Pick<ReferenceService, 'baseUrl' | 'httpBaseUrl' | 'caFile' | 'key' | 'close'>;
  readonly settings: SettingTexts;
  /** Variables that its identities name. */
  readonly variables: SettingTexts;
  /** Settings of its key page, whose user has no key yet; none without such a page. */
  readonly pageSettings: SettingTexts;
}

export interface Embedded extends Chosen, Started {}

export const behavioursOf = async (
  demo: string | undefined,
): Promise<Record<'faults' | 'variants', readonly ListedBehaviour[]>> => {
  const { faults, variants, rolesFaults, rolesVariants } = await import('../reference/index.js');
  if (demo === 'roles') return { faults: rolesFaults, variants: rolesVariants };
  const { pageFaults, pageVariants } = await import('../reference/pages/pages.js');
  return { faults: [...faults, ...pageFaults], variants: [...variants, ...pageVariants] };
};

const behaviourNamed = (
  kind: string,
  entries: readonly ListedBehaviour[],
  name: string | undefined,
): ListedBehaviour | undefined => {
  if (name === undefined) return undefined;
  const found = entries.find((entry) => entry.name === name);
  if (found) return found;
  throw new UsageError(
    `the embedded service has no ${kind} "${name}".`,
    didYouMean(name, entries, `access-conformance serve --list names every ${kind}`),
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

const startRolesDemo = async (ports: Ports, { fault, variant }: Chosen): Promise<Started> => {
  const { startRoles } = await import('../reference/index.js');
  const { service, variables } = await startRoles({
    ...ports,
    ...(fault ? { fault: fault.name } : {}),
    ...(variant ? { variant: variant.name } : {}),
  });
  const settings = {
    CONTRACT: asset('openapi', 'accounts-and-roles.yaml'),
    IDENTITIES: asset('docs', 'examples', 'identities.yaml'),
  };
  return { service, settings, variables, pageSettings: {} };
};

const startFitness = async (ports: Ports, { fault, variant }: Chosen): Promise<Started> => {
  const { startReference } = await import('../reference/index.js');
  const { createPages, pageFaults, pageVariants } = await import('../reference/pages/pages.js');
  const pageFault = pageFaults.find(({ name }) => name === fault?.name)?.name;
  const pageVariant = pageVariants.find(({ name }) => name === variant?.name)?.name;
  const user = { name: 'bo', password: randomBytes(9).toString('base64url') };
  let path = '';
  const service = await startReference({
    ...ports,
    ...(fault && !pageFault ? { fault: fault.name } : {}),
    ...(variant && !pageVariant ? { variant: variant.name } : {}),
    pages: (keys) => {
      const pages = createPages({ keys, users: [user], fault: pageFault, variant: pageVariant });
      path = pages.path;
      return pages;
    },
  });
  return {
    service,
    settings: { API_KEY: service.key, ...(service.resolve === undefined ? {} : { RESOLVE: service.resolve }) },
    variables: {},
    pageSettings: {
      KEY_PAGE_URL: new URL(service.baseUrl).origin + path,
      WEB_USERNAME: user.name,
      WEB_PASSWORD: user.password,
      KEY_PAGE_GENERATE: 'true',
    },
  };
};

/**
 * Starts the embedded service, with its key page, as `--demo`, `--fault` and `--variant` say.
 * @throws {UsageError} for a name that it does not know, or a port that is taken.
 */
export const startEmbedded = async (input: Arguments, ports: Ports = {}): Promise<Embedded> => {
  const demo = textFlag(input, 'demo');
  if (demo !== undefined && demo !== 'roles') throw new UsageError(`--demo is "${demo}".`, 'allowed: roles');
  const { faults, variants } = await behavioursOf(demo);
  const fault = behaviourNamed('fault', faults, textFlag(input, 'fault'));
  const variant = behaviourNamed('variant', variants, textFlag(input, 'variant'));
  const start = demo === undefined ? startFitness : startRolesDemo;
  const started = await start(ports, { fault, variant }).catch((error: unknown) => {
    throw portTrouble(error);
  });
  const { baseUrl, httpBaseUrl, caFile } = started.service;
  const addresses = { BASE_URL: baseUrl, HTTP_BASE_URL: httpBaseUrl, CA_FILE: caFile };
  const settings = { ...addresses, ...started.settings, ...variant?.settings, ...fault?.settings };
  return { ...started, settings, fault, variant };
};
