import { loadContractOf } from '../../app/load-contract.js';
import { foreseenRun } from '../../app/prepare.js';
import type { Contract, Operation } from '../../contract/model.js';
import { allot, isUnspread } from '../../engine/budget/budget.js';
import {
  durationEstimate,
  type Estimate,
  estimateOf,
  requestsIn,
  unspreadEstimate,
} from '../../engine/budget/plan-size.js';
import { requestsByOperation } from '../../engine/budget/request-counts.js';
import { describeContract } from '../../engine/build-results.js';
import { settingsCarriedBy } from '../../engine/live-keys/key-watch.js';
import type { Check } from '../../engine/plan.js';
import type { Results } from '../../engine/results.js';
import { contractWithSources } from '../../engine/values/recording.js';
import { contractName } from '../../report/run-summary.js';
import { readTarget, type Target } from '../../settings/target.js';
import { jsonText, visible } from '../../visible.js';
import type { Probe } from '../../wire/types.js';
import { counted } from '../../words.js';
import type { Command } from '../arguments.js';
import { missingValuesLine, parametersSkeleton, printUnprobed, readsWithoutContentWords } from '../operation-words.js';
import { checkSelectors, forEachTarget, requestingChecks, selectorsOf, targetsFlag } from '../selection.js';
import type { Terminal } from '../terminal.js';

interface Plans {
  readonly selected: readonly Check[];
  /** The checks of `PROBES=standard`. */
  readonly standard: readonly Check[];
  readonly operations: readonly Operation[];
  readonly target: Pick<Target, 'probes' | 'maxRequests'>;
}

/** Prints what each budget would send. */
const printBudgets = ({ selected, standard, operations, target }: Plans, { out, colours }: Terminal): void => {
  const { maxRequests } = target;
  const rows: readonly (readonly [name: string, estimate: Estimate])[] = [
    ['PROBES=extended', estimateOf(selected, operations, { probes: 'extended' })],
    ['PROBES=spread', estimateOf(selected, operations, { probes: 'spread' })],
    ['PROBES=standard', unspreadEstimate(standard, 'no spellings of the path, proxy fields or overrides')],
    ...(maxRequests === undefined
      ? []
      : [[`MAX_REQUESTS=${maxRequests}`, estimateOf(selected, operations, target)] as const]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  out(`\n${colours.bold('What a budget buys:')}\n`);
  for (const [name, estimate] of rows) out(`  ${name.padEnd(width)}  ${requestsIn(estimate)}: ${estimate.words}\n`);
  out('\n');
};

const versions = { 'http/1.0': ' (HTTP/1.0)', 'http/1.1': '', h2: ' (HTTP/2)' } as const;

const lineOf = ({ method, origin, target, headers, protocol }: Probe): string => {
  const fields = headers.map(([name, value]) => ` -H '${name}: ${value}'`).join('');
  const path = target.startsWith('/') ? origin + target : `${origin} ${target}`;
  return visible(`${method} ${path}${fields}${versions[protocol]}`);
};

/** The contract, the requests and what is not probed as JSON, piece by piece. */
function* jsonOf(
  groups: ReturnType<typeof requestsByOperation>,
  { unprobed }: Contract,
  judged: Results['contract'],
): Generator<string> {
  let first = true;
  yield `{\n  "contract": ${jsonText(judged, 2).replaceAll('\n', '\n  ')},\n  "requests": [`;
  for (const [, probes] of groups) {
    const items = probes.map((probe) => jsonText(probe, 2).replaceAll('\n', '\n    '));
    yield `${first ? '' : ','}\n    ${items.join(',\n    ')}`;
    first = false;
  }
  yield `${first ? '' : '\n  '}],\n  "unprobed": ${jsonText(unprobed, 2).replaceAll('\n', '\n  ')}\n}\n`;
}

export const plan: Command = {
  name: 'plan',
  summary: 'Print every request that a run would send, without the key, and send nothing.',
  usage: '[--only SELECTOR] [--json] [--parameters-skeleton] [flags]',
  flags: {
    only: { value: 'SELECTOR', repeats: true, doc: 'Only what these checks send; see run.' },
    ...targetsFlag,
    json: { doc: 'Print the requests, and what is not probed, as JSON.' },
    'parameters-skeleton': {
      doc: 'Print a PARAMETERS file to fill in, with what a run would not find by itself.',
    },
  },
  takesSettings: true,
  run: forEachTarget(async (settings, input, { terminal, fetched }) => {
    const target = readTarget(settings);
    const contract = await loadContractOf(settings, target, { warn: terminal.warn, fetched });
    const found = contractWithSources(contract, target.identities);
    if (input.flags['parameters-skeleton'] === true) {
      terminal.out(parametersSkeleton(found));
      return 0;
    }
    const judged = describeContract(contract);
    const selectors = selectorsOf(input);
    // Requests with keys are part of the plan even if no key is set.
    const { checks, contract: planned } = foreseenRun(settings, contract, target);
    checkSelectors(selectors, checks);
    const selected = requestingChecks(checks, selectors);
    const { operations } = planned;
    const allotment = isUnspread(selected, target)
      ? undefined
      : allot({ checks: selected, operations, budget: target });
    const asked = selected.filter(({ operation }) => !allotment?.unaffordable.has(operation));
    const requests = requestsByOperation(asked, allotment?.assigned);
    if (input.flags.json === true) {
      for (const piece of jsonOf(requests, contract, judged)) terminal.out(piece);
      return 0;
    }
    const { bold, dim } = terminal.colours;
    const methods = new Map<string, number>();
    let all = 0;
    let withKey = 0;
    for (const [operation, own] of requests) {
      const lines = own.map((probe) => `  ${lineOf(probe)}  ${dim(visible(probe.name))}\n`);
      terminal.out(`${bold(visible(operation))} ${dim(counted(own.length, 'request'))}\n${lines.join('')}`);
      all += own.length;
      for (const probe of own) {
        methods.set(probe.method, (methods.get(probe.method) ?? 0) + 1);
        if (settingsCarriedBy(probe).length > 0) withKey += 1;
      }
    }
    printUnprobed(planned, terminal);
    const values = missingValuesLine(contract, found);
    if (values !== '') terminal.out(`\n${values}\n`);
    const madeUp = found.unprobed.length - planned.unprobed.length;
    if (madeUp > 0)
      terminal.out(
        `${counted(madeUp, 'read has', 'reads have')} a made-up value until then: asked without the key alone, so that only a refusal is judged.\n`,
      );
    for (const { id, excluded } of contract.clauses)
      if (excluded !== undefined) terminal.out(`\n${bold(visible(id))} is left out: ${visible(excluded)}\n`);
    const effects = readsWithoutContentWords(planned);
    if (effects) terminal.out(`\n${effects.says} ${effects.advice}\n`);
    const counts = [...methods].sort(([a], [b]) => (a < b ? -1 : 1)).map(([method, each]) => `${each} ${method}`);
    terminal.out(
      `\n${bold(counted(all, 'request'))}: ${counts.join(', ')}; ${counted(withKey, 'carries', 'carry')} the key, at most ${target.concurrency === 'auto' ? 'as many as the server bears (8 to 32)' : target.concurrency} at one time: ${durationEstimate(all, target)}.\n`,
    );
    const standard = foreseenRun(settings, contract, { ...target, probes: 'standard' }).checks;
    printBudgets({ selected, standard: requestingChecks(standard, selectors), operations, target }, terminal);
    for (const { name, scopes, peers } of target.identities ?? [])
      terminal.out(
        `${bold(visible(name))} asks too${scopes ? `, with ${scopes.length > 0 ? visible(scopes.join(', ')) : 'no scope'}` : ''}${peers.length > 0 ? `; peers: ${visible(peers.join(', '))}` : ''}.\n`,
      );
    terminal.out(`The contract is ${visible(contractName(judged))}.\n`);
    terminal.out(
      dim(
        'A run asks for more where answers are unclear, where the key does not open an operation, and, if it is spread, where operations are refused in several ways: each way is a gate. It takes longer where the service answers more slowly. MAX_REQUESTS limits it, and Ctrl-C ends it with a verdict. Random parts differ from run to run.\n',
      ),
    );
    return 0;
  }),
};
