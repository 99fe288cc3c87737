import type { Bodies } from './bodies.js';
import { idOf } from './envelopes.js';
import { rowFields } from './fields.js';
import { type Format, isFlat, isObject, mediaTypes, pageWithState, type StateForm, scriptOf } from './formats.js';
import type { Random } from './random.js';
import type { Answer } from './refusals.js';
import type { Payload } from './spec.js';

/** What comes out of a service that opens. */

export interface Giving {
  readonly bodies: Bodies;
  readonly moment: Random;
  readonly format: Format;
  readonly status: number;
  readonly rows: number;
  readonly total: number;
  readonly stateForm: StateForm;
}

const cut = (answer: Answer): Answer => ({
  ...answer,
  body: answer.body.slice(0, Math.floor(answer.body.length * 0.8)),
  broken: true,
});

const others: readonly Format[] = ['csv', 'ndjson', 'xml', 'html'];

export const given: Readonly<Record<Payload, (giving: Giving) => Answer>> = {
  full: ({ bodies, total, moment, format, status }) => bodies.give(bodies.own, total, moment, format, status),
  others: ({ bodies, rows, moment, format, status }) => {
    const length = Math.max(2, rows);
    return bodies.give(bodies.rowsFor(1, length), length, moment, format, status);
  },
  part: ({ bodies, rows, total, moment, format, status }) =>
    bodies.give(bodies.own.slice(0, Math.max(1, Math.floor(rows / 2))), total, moment, format, status),
  emptyPage: ({ bodies, moment, format, status }) => bodies.give([], 0, moment, format, status),
  oneOther: ({ bodies, moment, format, status }) => bodies.give(bodies.rowsFor(1, 1), 1, moment, format, status),
  besideError: ({ bodies, total, moment, status }) => {
    const tree = bodies.treeOf(bodies.own, total, moment);
    const warning = bodies.context.words;
    return bodies.say(isObject(tree) ? { ...tree, warning } : { warning, data: tree }, 'json', status);
  },
  inRefusal: ({ bodies, status }) => {
    const error = bodies.envelope.refuse(bodies.context);
    return bodies.say({ ...(isObject(error) ? error : {}), context: bodies.own[0] ?? null }, 'json', status);
  },
  projection: ({ bodies, total, moment, format, status }) =>
    bodies.give(
      bodies.own.map((row) => (isObject(row) ? Object.fromEntries(Object.entries(row).slice(0, 2)) : row)),
      total,
      moment,
      format,
      status,
    ),
  otherFormat: ({ bodies, status }) =>
    bodies.say(bodies.own, bodies.context.random.fork('other format').pick(others), status),
  script: ({ bodies, total, moment, status }) => ({
    status,
    contentType: mediaTypes.script,
    body: scriptOf(JSON.stringify(bodies.treeOf(bodies.own, total, moment))),
  }),
  state: ({ bodies, total, moment, status, stateForm }) => ({
    status,
    contentType: mediaTypes.html,
    body: pageWithState('Fitness', { page: '/workout', props: bodies.treeOf(bodies.own, total, moment) }, stateForm),
  }),
  othersState: ({ bodies, rows, moment, status, stateForm }) => {
    const length = Math.max(4, rows);
    const state = { page: '/workout', props: bodies.treeOf(bodies.rowsFor(1, length), length, moment) };
    return { status, contentType: mediaTypes.html, body: pageWithState('Fitness', state, stateForm) };
  },
  othersString: ({ bodies, rows, status }) => {
    const dump = JSON.stringify(bodies.rowsFor(1, Math.max(4, rows)));
    return bodies.say({ error: bodies.context.words, dump }, 'json', status);
  },
  broken: ({ bodies, total, moment, format }) => cut(bodies.give(bodies.own, total, moment, format)),
  otherInRefusal: ({ bodies, status }) => {
    const error = bodies.envelope.refuse(bodies.context);
    return bodies.say({ ...(isObject(error) ? error : {}), context: bodies.rowsFor(1, 1)[0] }, 'json', status);
  },
  othersInRefusal: ({ bodies, status }) => {
    const error = bodies.envelope.refuse(bodies.context);
    const some = bodies
      .rowsFor(1, 2)
      .map((row) => (isObject(row) ? Object.fromEntries(Object.entries(row).slice(0, 2)) : row));
    return bodies.say({ ...(isObject(error) ? error : {}), context: some }, 'json', status);
  },
  links: ({ bodies, status }) => {
    const error = bodies.envelope.refuse(bodies.context);
    const links = bodies.own.map((row, at) => `/api/v2/workout/${idOf(row, at)}/`);
    return bodies.say({ ...(isObject(error) ? error : {}), links }, 'json', status);
  },
  names: ({ bodies, status }) => {
    const error = bodies.envelope.refuse(bodies.context);
    const calendar = Object.fromEntries(bodies.own.map((row, at) => [idOf(row, at), 1]));
    return bodies.say({ ...(isObject(error) ? error : {}), calendar }, 'json', status);
  },
  fields: ({ bodies, status }) => ({
    ...bodies.say(bodies.envelope.refuse(bodies.context), 'json', status),
    headers: rowFields(bodies.own[0] ?? null, bodies.context.random.fork('fields')),
  }),
  masked: ({ bodies, total, moment, format, status }) =>
    bodies.say(bodies.masked(bodies.treeOf(bodies.own, total, moment, format)), format, status),
  plainNull: ({ bodies, moment, format, status }) =>
    isFlat(format) ? bodies.give([], 0, moment, format, status) : bodies.say(bodies.nullTree(moment), format, status),
};
