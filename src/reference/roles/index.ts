import { composeBehaviour } from '../behaviour.js';
import { byName, type Fault, type Variant } from '../definitions.js';
import { type ReferenceOptions, type ReferenceService, startChanged } from '../service.js';
import { conformingRoles, type RolesBehaviour, type RolesContext } from './behaviour.js';
import { Credentials, tokenEndpoint } from './credentials.js';
import { faults } from './faults.js';
import { variants } from './variants.js';

/**
 * The second embedded service, beside that of the shipped contract: accounts, roles and scopes, as
 * `openapi/accounts-and-roles.yaml` describes them.
 */

/** Every fault of the second service. */
export const rolesFaults: readonly Fault[] = faults;

/** Every variant of the second service. */
export const rolesVariants: readonly Variant[] = variants;

export interface RolesOptions extends Pick<ReferenceOptions, 'host' | 'port' | 'httpPort' | 'latencyMs'> {
  /** Name of one of `rolesFaults`. */
  readonly fault?: string;
  /** Name of one of `rolesVariants`. */
  readonly variant?: string;
  /** Lifetime of an access token in milliseconds. Default: an hour. */
  readonly tokenLifeMs?: number;
}

export interface RolesService {
  /** The running service; its `key` belongs to mara. */
  readonly service: ReferenceService;
  /** Values of the variables that `docs/examples/identities.yaml` names. */
  readonly variables: Readonly<Record<string, string>>;
  /** An access token of the client, as issued by the token endpoint. */
  readonly clientToken: string;
}

/**
 * Starts the second service: conforming, unless a fault is named.
 * @throws RangeError for an unknown fault or variant; suggests the nearest name
 */
export const startRoles = async (options: RolesOptions = {}): Promise<RolesService> => {
  const { fault, variant, tokenLifeMs = 3_600_000, ...rest } = options;
  const overrides = [
    conformingRoles,
    ...(variant === undefined ? [] : [byName('variant', variants, variant).override]),
    ...(fault === undefined ? [] : [byName('fault', faults, fault).override]),
  ];
  const credentials = new Credentials(tokenLifeMs);
  const { keys, devices, client } = credentials;
  const service = await startChanged(
    [
      {
        override: (_, reference) => {
          const origin = () => reference.httpsOrigin;
          const roles = composeBehaviour<RolesBehaviour, RolesContext>(overrides, { credentials, origin });
          return { answer: (call) => roles.answer(call) };
        },
      },
    ],
    { ...rest, key: keys.mara.key, pages: () => tokenEndpoint(credentials) },
  );
  return {
    service,
    clientToken: credentials.issue(client).token,
    variables: {
      MARA_KEY: keys.mara.key,
      MARA_DEVICE_KEY: devices.mara,
      TOMAS_KEY: keys.tomas.key,
      TOMAS_DEVICE_KEY: devices.tomas,
      ILSE_KEY: keys.ilse.key,
      GUEST_KEY: keys.guest.key,
      ROBOT_ID: client.id,
      ROBOT_SECRET: client.secret,
      EXPIRED_TOKEN: credentials.expiredToken,
      FOREIGN_TOKEN: credentials.foreignToken,
    },
  };
};
