import { loadContractOf } from '../../app/load-contract.js';
import { foreseenRun } from '../../app/prepare.js';
import type { Contract } from '../../contract/model.js';
import { type PlanSize, planSize } from '../../engine/budget/plan-size.js';
import { exitCodes } from '../../engine/outcomes.js';
import { fetchedKeyNames } from '../../keys/key-origins.js';
import { findChromium } from '../../settings/setting-parser.js';
import type { Settings } from '../../settings/settings.js';
import { readTarget, type Target, unusedInResolve } from '../../settings/target.js';
import { keyEndWarning } from '../../settings/value-parsers.js';
import { jsonText, visible } from '../../visible.js';
import { authorityOf, endpointOf } from '../../wire/addresses.js';
import { counted, firstOf } from '../../words.js';
import type { Command } from '../arguments.js';
import { askWithGivenKeys, tryFetchedKeys } from '../doctor/keys.js';
import { about, type Diagnosis, nameService, openPort, proxyVariables } from '../doctor/network.js';
import { readsWithoutContentWords } from '../operation-words.js';
import { skeletonOf } from '../own-api.js';
import { forEachTarget, requestingChecks, targetsFlag } from '../selection.js';

/** Says which overlays change the contract. */
const overlaid = ({ title, version, overlays, clauses }: Contract): readonly Diagnosis[] => {
  if (overlays.length === 0) return [];
  const files = overlays.map(({ file }) => file).join(', ');
  const out = clauses.flatMap(({ id, excluded }) => (excluded === undefined ? [] : [id]));
  const says = `${`${title} ${version}`.trim()} is changed by ${files}.`;
  return out.length === 0
    ? [about('contract').well(says)]
    : [about('contract').doubt(`${says} Left out: ${out.join(', ')}.`, 'access-conformance list says why.')];
};

/** Operations of which the document does not say whether they need a key. */
const unstated = (contract: Contract): Diagnosis[] => {
  const ids = contract.unprobed.flatMap(({ id, why }) => (why === 'access-unstated' ? [id] : []));
  return ids.length === 0
    ? []
    : [
        about('contract').doubt(
          `The document does not say whether these need a key, so they are not judged: ${firstOf(ids, 3)}.`,
          `Say it in an OVERLAY (${skeletonOf(contract)}), or for all of them with UNSTATED.`,
        ),
      ];
};

const settingsAsked = (schemes: Contract['schemes']): readonly string[] => [
  ...new Set(schemes.map(({ setting }) => setting)),
];

const keys = (settings: Settings, contract: Contract): Diagnosis[] => {
  const { schemes, operations } = contract;
  const names = Object.keys(settings.keys);
  // Without API_KEY, the key of the first identity is used, which a program may print.
  if (names.length === 0 && !settings.grant && fetchedKeyNames(settings, contract).length === 0) {
    if (schemes.length === 0 && operations.length > 0)
      return [about('key').skipped('None was given, and no operation of the document asks for one.')];
    const [near] = settings.mistakenFor('API_KEY');
    const says = `No key was given.${near ? ` The environment has ${near}: did you mean API_KEY?` : ''}`;
    const asked = settingsAsked(schemes);
    const setting = asked.length > 1 ? `${asked.join(', ')} or API_KEYS_FILE` : 'API_KEY or API_KEY_FILE';
    return [about('key').trouble(says, `Set ${setting}; without a key nothing protected can be judged.`)];
  }
  return names.map((name) => {
    const key = settings.keys[name] ?? '';
    const size = counted(key.length, 'character');
    if (/^(["'`]).*\1$/.test(key))
      return about(name).doubt(
        'It begins and ends with a quote.',
        'Leave the quotes out, unless the key really has them.',
      );
    if (/^(your|my|the|api|changeme|example|xxx|1234567890)/i.test(key) || key.length < 8)
      return about(name).doubt(`It does not look like a key (${size}).`, 'Put the key of a real account there.');
    return about(name).well(`${size}, none of which is a space or a control character.`);
  });
};

/** Keys that the document leaves unused, and operations whose key is not set. */
const uses = (settings: Settings, contract: Contract): Diagnosis[] => {
  const given = [...Object.keys(settings.keys), ...fetchedKeyNames(settings, contract)];
  const asked = settingsAsked(contract.schemes);
  const takes = asked.length === 0 ? 'No operation of it asks for a key.' : `It asks for ${asked.join(', ')}.`;
  const instead =
    asked.length === 0
      ? `Nothing can be judged of a key: if operations are protected, say so in the document or in an OVERLAY (${skeletonOf(contract)}).`
      : `Set ${asked.join(', ')} instead, or look at the securitySchemes of the document.`;
  const unused = given
    .filter((name) => !asked.includes(name))
    .map((name) => about(name).doubt(`The document leaves it unused. ${takes}`, instead));
  const closed = contract.operations.filter(({ access, security, alternatives = [] }) => {
    const isThere = (schemes: typeof security): boolean => schemes.every(({ setting }) => given.includes(setting));
    return access === 'protected' && given.length > 0 && ![security, ...alternatives].some(isThere);
  });
  if (closed.length === 0) return unused;
  const wanted = new Set(closed.flatMap(({ security }) => security.map(({ setting }) => setting)));
  const lacking = [...wanted].filter((name) => !given.includes(name)).join(', ');
  const says = `Not set; ${counted(closed.length, 'protected operation needs', 'protected operations need')} it.`;
  const advice = `Without it ${closed.length === 1 ? `${closed[0]?.id} is` : 'they are'} not judged.`;
  return [...unused, about(lacking).doubt(says, advice)];
};

/** Operations whose key travels in the URL, where it may not be sent. */
const inUrl = ({ operations }: Contract, { probeKeyInUrl }: Target): readonly Diagnosis[] => {
  const confined = operations.filter(
    ({ access, security }) => access === 'protected' && security.some(({ in: place }) => place === 'query'),
  );
  if (probeKeyInUrl || confined.length === 0) return [];
  const says = `Not set; ${counted(confined.length, 'protected operation takes', 'protected operations take')} the key in the URL.`;
  const advice = `Without PROBE_KEY_IN_URL=true ${confined.length === 1 ? `${confined[0]?.id} is` : 'they are'} not judged. URLs are kept in logs: use a key that was made for this.`;
  return [about('PROBE_KEY_IN_URL').doubt(says, advice)];
};

const browser = (settings: Settings, env: Readonly<Record<string, string | undefined>>): Diagnosis => {
  if (settings.values.KEY_PAGE_URL === undefined)
    return about('Chromium').skipped('KEY_PAGE_URL is not set, so no browser is needed.');
  const { CHROMIUM_PATH } = settings.values;
  const found = findChromium(CHROMIUM_PATH ? { ...env, CHROMIUM_PATH } : env);
  return found.path
    ? about('Chromium').well(found.path)
    : about('Chromium').trouble('There is none.', found.missing ?? '');
};

const sizeOf = ({ warning }: PlanSize): Diagnosis[] =>
  warning === undefined ? [] : [about('requests').doubt(`${warning}.`, 'See plan for what each operation costs.')];

const mayDoSomething = (contract: Contract): Diagnosis[] => {
  const words = readsWithoutContentWords(contract);
  return words === undefined ? [] : [about('reads').doubt(words.says, words.advice)];
};

/** Tokens that say when they end. */
const ends = ({ keys: given }: Settings, { seconds }: PlanSize): Diagnosis[] =>
  Object.entries(given).flatMap(([name, key]) => {
    const says = keyEndWarning(key, seconds);
    return says === undefined
      ? []
      : [
          about(name).trouble(
            `${says.charAt(0).toUpperCase()}${says.slice(1)}.`,
            'Take one that lasts longer than the run.',
          ),
        ];
  });

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look for common setup problems, and say what to do about each.',
  usage: '[flags]',
  flags: { ...targetsFlag, json: { doc: 'Print what was found as JSON.' } },
  takesSettings: true,
  uses: ['Target', 'Keys that are fetched', 'Contract', 'Network', 'Key page'],
  run: forEachTarget(async (settings, input, { env, terminal, fetched }) => {
    const target = readTarget(settings);
    const contract = await loadContractOf(settings, target, { warn: terminal.warn, fetched });
    const foreseen = foreseenRun(settings, contract, target);
    const size = planSize(requestingChecks(foreseen.checks), foreseen.contract.operations, target);
    const { askPlain, askTarget } = await import('../doctor/ask-target.js');

    const proxy = await proxyVariables(target, env);
    const unused = unusedInResolve(settings, target).map((entry) =>
      about('RESOLVE').doubt(
        `${entry} is for no host and port that the settings name.`,
        `BASE_URL is ${target.origin}: an entry for it begins with ${authorityOf(endpointOf(target.origin))}:`,
      ),
    );
    const fetchedKeys = await tryFetchedKeys(settings, contract, target);
    const found: Diagnosis[] = [
      ...overlaid(contract),
      ...unstated(contract),
      ...keys(settings, contract),
      ...fetchedKeys.found,
      ...uses(settings, foreseen.contract),
      ...inUrl(foreseen.contract, target),
      ...sizeOf(size),
      ...mayDoSomething(contract),
      ...ends(settings, size),
      proxy,
      ...unused,
    ];
    const names = await nameService(target);
    found.push(names);
    if (proxy.state !== 'trouble' && names.state !== 'trouble') {
      const port = await openPort(target);
      found.push(port);
      if (port.state !== 'trouble')
        found.push(
          ...(await askTarget(target, contract)),
          ...(await askWithGivenKeys(fetchedKeys.target, contract)),
          await askPlain(target, contract),
        );
    }
    found.push(browser(settings, env));

    const count = (state: Diagnosis['state']): number => found.filter((each) => each.state === state).length;
    const code = count('trouble') > 0 ? exitCodes.incomplete : 0;
    if (input.flags.json === true) {
      terminal.out(`${jsonText(found, 2)}\n`);
      return code;
    }
    const { green, yellow, red, dim } = terminal.colours;
    const marks = { well: green('✓'), doubt: yellow('!'), trouble: red('✗'), skipped: dim('–') } as const;
    const width = Math.max(...found.map(({ what }) => what.length));
    for (const [at, { what, state, says, advice }] of found.entries()) {
      terminal.out(`${marks[state]} ${what.padEnd(width)}  ${visible(says)}\n`);
      // Below the last of those that it is the same for.
      if (advice && advice !== found[at + 1]?.advice) terminal.out(`  ${' '.repeat(width)}  → ${visible(advice)}\n`);
    }
    terminal.out(
      code === 0
        ? `\n${count('doubt') > 0 ? 'A run can be made; the marked points may cost it a clause.' : 'All is well: access-conformance run'}\n`
        : '\nMend what is marked ✗ first.\n',
    );
    return code;
  }),
};
