import { groupBy } from '../../src/collections.js';
import { judgeBypasses } from '../../src/rules/bypass/judge-bypasses.js';
import { opensWithoutCredentials } from '../../src/rules/opens-without-credentials.js';
import { healthRead } from '../../src/rules/oracle/control-requests.js';
import { refusesMissingKey } from '../../src/rules/refuses-missing-key.js';
import { refusesWorthlessKeys } from '../../src/rules/refuses-worthless-keys.js';
import type { Judgement } from '../../src/rules/rule.js';
import { languages } from './languages.js';
import { isWithholding } from './public-access.js';
import { type Service, serviceOf } from './service.js';
import { isOrdinary, type Spec, specOf } from './spec.js';
import { openTwinOf, publicTwinOf, showsRowsToAll, twinOf } from './twins.js';
import { askingOf, bypassesOf, type Sent, subjectOf } from './world.js';

/** Judges generated services by the rules. */

export type Label = 'conforming' | 'faulty' | 'undecidable';
/** `unclear`: neither accused nor passed. */
export type JudgedAs = 'accused' | 'passed' | 'unclear';

export interface Judged {
  readonly service: Service;
  readonly label: Label;
  readonly ordinary: boolean;
  readonly found: JudgedAs;
  readonly judgements: readonly Judgement[];
  readonly sent: ReadonlyMap<string, Sent>;
}

const foundIn = (judgements: readonly Judgement[]): JudgedAs => {
  if (judgements.some(({ outcome }) => outcome === 'failed')) return 'accused';
  return judgements.every(({ outcome }) => outcome === 'passed') ? 'passed' : 'unclear';
};

export const judgeService = (service: Service): Omit<Judged, 'label'> => {
  const { ask, sent } = askingOf(service);
  const subject = subjectOf(service);
  const { contract } = subject;
  const open = contract.operations.find(({ access }) => access === 'public');
  const judgements = [
    ...(open && service.spec.publicAccess ? [opensWithoutCredentials.judge(ask, { ...subject, operation: open })] : []),
    refusesMissingKey.judge(ask, subject),
    judgeBypasses(ask, subject, {
      bypasses: bypassesOf(service, subject),
      health: healthRead(subject, refusesWorthlessKeys),
    }),
  ];
  return { service, ordinary: isOrdinary(service.spec), found: foundIn(judgements), judgements, sent };
};

const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT(?:[\d:.]|%3A)+Z/g, '');

/** What a twin answers in another way. */
const differenceTo = ({ service, sent }: Pick<Judged, 'service' | 'sent'>, twin: Service): string | undefined => {
  // Rules are pure functions of exchanges: where all of these are equal, judging the twin asks for
  // the same ones.
  for (const { asked: ask, probe } of sent.values()) {
    const [one, its] = [service.answer(ask), twin.answer(ask)].map((answer) =>
      withoutTimes(
        JSON.stringify(answer).replaceAll(/[\w+/]{40,}/g, (text) =>
          withoutTimes(Buffer.from(text, 'base64').toString()),
        ),
      ),
    );
    if (one !== its) return `"${probe.name}":\n${one}\n${its}`;
  }
  return undefined;
};

/** @throws Error where the twin answers anything in another way */
const assertTwin = (judged: Pick<Judged, 'service' | 'sent'>, twin: Spec): void => {
  const difference = differenceTo(judged, serviceOf(twin));
  const { spec } = judged.service;
  if (difference !== undefined)
    throw new Error(`the twin of ${spec.seed} answers in another way ${difference}\n${JSON.stringify(spec)}`);
};

/** The service of a number. */
export const generatedSpec = (seed: string, index: number): Spec =>
  specOf(seed, index, (language) => languages[language].refusals);

export const judgeNumber = (seed: string, index: number): Judged => judgeSpec(generatedSpec(seed, index));

const judgeSpec = (spec: Spec): Judged => {
  const judged = judgeService(serviceOf(spec));
  const isOpen = [...judged.sent.values()].some(({ asked: ask }) => judged.service.opens(ask));
  if (isWithholding(spec.publicAccess)) {
    const twin = publicTwinOf(spec);
    if (twin) assertTwin(judged, twin);
    return { ...judged, label: twin ? 'undecidable' : 'faulty' };
  }
  if (showsRowsToAll(spec) && spec.others === 0 && differenceTo(judged, openTwinOf(judged.service)) === undefined)
    return { ...judged, label: 'undecidable' };
  if (!spec.fault || !isOpen) return { ...judged, label: 'conforming' };
  const twin = twinOf(spec);
  if (!twin) return { ...judged, label: 'faulty' };
  assertTwin(judged, twin);
  return { ...judged, label: 'undecidable' };
};

/**
 * Exchanges of a service as they were read, for somebody who looks into one of them; like ones
 * once.
 */
export const shown = ({ service, label, found, judgements, sent }: Judged): string => {
  const readings = new Map(
    judgements.flatMap(({ readings = [] }) =>
      readings.map(({ exchange, line, verdict }) => [exchange.id, `${verdict} by line ${line}`] as const),
    ),
  );
  const asked = [...sent.values()].map(({ asked: ask, probe, answer, exchange }) => {
    const { status, contentType, location, body, closed } = answer;
    const place = `${ask.place}${ask.isKeyed ? ' with the key' : ''}${service.opens(ask) ? ' (open)' : ''}`;
    const seen = closed ? 'closed' : `${status} ${location ?? contentType ?? ''} ${body.slice(0, 900)}`;
    return { name: probe.name, group: [place, readings.get(exchange.id) ?? '', status].join(', '), seen };
  });
  return [
    `${service.spec.seed}: ${label}, ${found}`,
    JSON.stringify(service.spec),
    ...judgements.map(({ outcome, reason }) => `${outcome}: ${reason}`),
    ...[...groupBy(asked, ({ group }) => group)].map(
      ([group, all]) => `  ${group}: ${all.map(({ name }) => name).join('; ')}\n    ${all[0]?.seen}`,
    ),
  ].join('\n');
};
