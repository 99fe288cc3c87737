import { type MissingStyle, missing, type RefusalStyle, refusals } from './deployment-answers.js';
import {
  type Leak,
  leaks,
  otherFormats,
  otherPlaces,
  type Placement,
  placements,
  type Routing,
  spellings,
} from './deployment-requests.js';
import { type Front, fronts } from './fronts.js';
import { type Random, randomOf } from './random.js';

/** What a deployment is made of, as plain data: a seed and a number give the same one again. */

/** Where the protected resources are served, and by what request. */
const servings = [
  'asDocumented',
  'nowhere',
  'withoutSlash',
  'elsewhere',
  'otherVersion',
  'versionField',
  'postOnly',
] as const;
export type Serving = (typeof servings)[number];

export interface DeploymentSpec {
  readonly seed: string;
  readonly refusal: RefusalStyle;
  readonly missing: MissingStyle;
  readonly base: 'missing' | 'root' | 'docs';
  /** Keys are read before paths: without one, a path that does not exist is refused too. */
  readonly refusesFirst: boolean;
  readonly routing: Routing;
  /** A path without its last slash redirects to that with it. */
  readonly addsSlash: boolean;
  readonly takes: readonly Placement[];
  /** What a wrong key gets. */
  readonly badKey: 'refusal' | 'told' | 'toldOfPublicToo';
  readonly options: 'allowed' | 'refused' | 'described' | 'preflight';
  readonly serving: Serving;
  /** The public resource is given to nobody without the key. */
  readonly publicNeedsKey: boolean;
  /** One record in place of a list. */
  readonly single: boolean;
  /** Bodies differ from read to read. */
  readonly changes: boolean;
  readonly front: Front;
  /** The front tells everybody who sends a key that it is invalid. */
  readonly frontRefusesKeys: boolean;
  /** The front refuses some requests like the web server that stands before the application. */
  readonly frontRefuses?: Leak;
  readonly leak?: Leak;
  /** Over plain HTTP the application asks for no key. */
  readonly isGateless: boolean;
  /** What the port of HTTPS says to plain HTTP. */
  readonly tlsPort: 'closed' | 'told' | 'application';
}

const namesOf = <T extends object>(all: T): readonly (keyof T)[] => Object.keys(all) as (keyof T)[];

const faultKinds = [
  [6, 'none'],
  [3, 'plain'],
  [1, 'tlsPort'],
  [2, 'placement'],
  [2, 'serving'],
  [1, 'key'],
  [1, 'public'],
] as const;

const takesFor = (random: Random, fault: (typeof faultKinds)[number][1]): readonly Placement[] => {
  const others = namesOf(placements).filter((name) => name !== 'documented' && random.chance(0.25));
  const only = random.pick([...otherFormats, ...otherPlaces]);
  if (fault === 'key') return [];
  return fault === 'placement' ? [only] : ['documented', ...others];
};

/** The deployment of a number. It has one fault at most. */
export const deploymentSpec = (seed: string, index: number): DeploymentSpec => {
  const random = randomOf(`${seed} ${index}`);
  const fault = random.weighted(faultKinds);
  const leak = fault === 'plain' ? random.pick(namesOf(leaks)) : undefined;
  const routing = random.pick(['strict', 'lenient'] as const);
  return {
    seed: `${seed} ${index}`,
    refusal: random.pick(namesOf(refusals)),
    missing: random.pick(namesOf(missing)),
    base: random.pick(['missing', 'root', 'docs']),
    refusesFirst: random.chance(0.3),
    routing: leak && spellings.includes(leak) ? 'lenient' : routing,
    addsSlash: random.chance(0.4),
    takes: takesFor(random, fault),
    badKey: random.pick(['refusal', 'told', 'toldOfPublicToo']),
    options: random.pick(['allowed', 'refused', 'described', 'preflight']),
    serving: fault === 'serving' ? random.pick(servings.slice(1)) : 'asDocumented',
    publicNeedsKey: fault === 'public',
    single: random.chance(0.3),
    changes: random.chance(0.3),
    front: random.pick(namesOf(fronts)),
    frontRefusesKeys: random.chance(0.1),
    ...(leak ? { leak } : {}),
    isGateless: random.chance(0.2),
    tlsPort: fault === 'tlsPort' ? 'application' : random.pick(['closed', 'told']),
  };
};

/** The clause that a deployment breaks, if any. */
export const brokenClause = ({ takes, serving, leak, tlsPort, publicNeedsKey }: DeploymentSpec): string | undefined => {
  if (publicNeedsKey) return 'AUTH-4';
  if (leak !== undefined || tlsPort === 'application') return 'HTTPS-2';
  if (serving === 'versionField') return 'PATH-2';
  if (serving === 'postOnly') return 'PATH-3';
  if (serving !== 'asDocumented') return 'PATH-1';
  const [only] = takes;
  if (only === undefined || only === 'documented') return undefined;
  return otherPlaces.includes(only) ? 'AUTH-1' : 'AUTH-2';
};

const stock: readonly RefusalStyle[] = ['html403', 'text401', 'empty401'];

/**
 * Deployments that keep the contract where this one does not, or the other way round, and may
 * answer alike.
 */
export const twinsOf = (spec: DeploymentSpec): readonly DeploymentSpec[] => {
  const { leak, ...sealed } = spec;
  // A wrong key that is refused like a missing path, and a path that is missing.
  if (spec.takes.length === 0)
    return [[], ['documented'] as const].map((takes) => ({ ...spec, takes, serving: 'nowhere' }));
  if (leak === undefined) return [];
  // What the application says where it is passed on to it, the front may say as well.
  const isStock = stock.includes(spec.refusal) && spec.refusesFirst;
  return [sealed, { ...sealed, frontRefusesKeys: true }, ...(isStock ? [{ ...sealed, frontRefuses: leak }] : [])];
};
