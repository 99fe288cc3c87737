import { bodiesOf } from './bodies.js';
import { catalogueOf, gymMembers } from './data.js';
import { ordinaryFields, rowFields } from './fields.js';
import { type Format, isObject, mediaTypes, pageOf, scriptOf } from './formats.js';
import { languages } from './languages.js';
import { given } from './payloads.js';
import { type Random, randomOf } from './random.js';
import { type Answer, loginPage, missingStyles, type Refusing, refusals, shell } from './refusals.js';
import type { Door, Layer, Opening, Spec } from './spec.js';

/** A service as a pure function of requests. */

export interface Asked {
  readonly place: 'operation' | 'missing' | 'base' | 'public' | 'other' | 'login';
  /** Which of the public or other operations. */
  readonly index: number;
  readonly door: Door;
  readonly isKeyed: boolean;
  /** Not of the first reads. */
  readonly isLater: boolean;
  readonly target: string;
  /** Of this exchange alone. */
  readonly id: string;
}

export interface Service {
  readonly spec: Spec;
  readonly answer: (ask: Asked) => Answer;
  /** Whether the answer gives away what is the key owner's, or its kind. */
  readonly opens: (ask: Asked) => boolean;
}

const withKey: readonly Door[] = ['random', 'half', 'nullKey', 'emptyKey'];

/** A field that asks for another path is read by few services, and by those on purpose. */
const isThrough = (opening: Opening, door: Door): boolean =>
  (opening === 'everything' && door !== 'rewrite') ||
  opening === door ||
  (opening === 'anyKey' && withKey.includes(door));

const forms: Partial<Record<Door, Format>> = { csvForm: 'csv', htmlForm: 'html', xmlForm: 'xml' };

/** Another path than the documented one to a strict router. */
const oddDoors: readonly Door[] = ['slashes', 'suffix', 'semicolon', 'upperCase'];

export const serviceOf = (spec: Spec): Service => {
  const bodies = bodiesOf(spec);
  const { context, envelope, own } = bodies;

  /** Whether public resources give everybody the same rows. */
  const isPublicToNobody =
    spec.publics > 0 && ['ignoresKey', 'moreWithKey'].includes(spec.publicAccess ?? 'ignoresKey');

  const momentOf = ({ id }: Asked): Random => randomOf(`${spec.seed} ${id}`);
  const formatOf = ({ door }: Asked): Format => (spec.negotiates ? (forms[door] ?? spec.format) : spec.format);
  const hasGoodKey = ({ isKeyed, isLater }: Asked): boolean => isKeyed && !spec.expired && !(spec.rotates && isLater);
  const isNow = ({ id }: Asked, flaky: boolean): boolean => !flaky || randomOf(`${spec.seed} ${id} flaky`).chance(0.5);

  const refusing = (ask: Asked, moment: Random): Refusing => ({
    context,
    envelope,
    moment,
    target: ask.target,
    decorated: (tree) => (spec.decoratesRefusals ? bodies.decorated(tree, moment) : tree),
    publicAnswer: isPublicToNobody ? () => bodies.publicAnswer(momentOf(ask), 0) : undefined,
    rows: Math.max(2, spec.rows),
    rowsAnswer: (rows) => bodies.give(bodies.rowsFor(rows === 0 ? 0 : 1, rows), rows, momentOf(ask), formatOf(ask)),
    emptyTree: () => bodies.treeOf([], 0, momentOf(ask)),
    nullTree: () => bodies.nullTree(momentOf(ask)),
    nullAnswer: () => given.plainNull(giving(ask, 200)),
    maskedAnswer: () => given.masked(giving(ask, 200)),
    description: own[0],
    descriptionTree: () => bodies.treeOf(own, spec.total, momentOf(ask)),
    catalogue: catalogueOf(languages[spec.language]).slice(0, 3),
    gyms:
      spec.kind === 'atGyms'
        ? own.flatMap((row) =>
            isObject(row)
              ? [Object.fromEntries(gymMembers.map((member) => [context.nameOf(member), row[context.nameOf(member)]]))]
              : [],
          )
        : [],
    stateForm: spec.stateForm,
  });

  const giving = (ask: Asked, status: number) => ({
    bodies,
    moment: momentOf(ask),
    format: formatOf(ask),
    status,
    rows: spec.rows,
    total: spec.total,
    stateForm: spec.stateForm,
  });

  /** A key that opens nothing is as good as a random one. */
  const isOf = (ask: Asked, { opening, flaky }: Pick<Layer, 'opening' | 'flaky'>): boolean =>
    isThrough(opening, ask.isKeyed && ask.door === 'plain' ? 'random' : ask.door) && isNow(ask, flaky === true);

  const refused = (ask: Asked, moment: Random): Answer => {
    const layer = spec.layers.find((each) => ask.place === 'other' && !each.alone && isOf(ask, each));
    return refusals[layer?.refusal ?? spec.refusal](refusing(ask, moment));
  };

  const missing = (ask: Asked, moment: Random): Answer => {
    if (spec.missing !== 'asRefused') return missingStyles[spec.missing](refusing(ask, moment));
    return ask.isKeyed ? missingStyles.json(refusing(ask, moment)) : refused(ask, moment);
  };

  const base = (ask: Asked, moment: Random): Answer => {
    switch (spec.base) {
      case 'root':
        return bodies.say(
          {
            workout: 'https://api.example/api/v2/workout/',
            exercise: 'https://api.example/api/v2/exercise/',
          },
          'json',
        );
      case 'docs':
        return {
          status: 200,
          contentType: mediaTypes.html,
          body: pageOf('API', '<h1>API documentation</h1><p>Use a key.</p>'),
        };
      case 'status':
        return bodies.say({ status: 'ok', version: '2.14.0' }, 'json');
      case 'shell':
        return shell();
      case 'missing':
        return missing(ask, moment);
    }
  };

  const opens = (ask: Asked): boolean => {
    const { fault } = spec;
    return fault !== undefined && ask.place === 'operation' && !ask.isKeyed && isOf(ask, fault);
  };

  const operation = (ask: Asked, moment: Random): Answer => {
    if (hasGoodKey(ask)) return bodies.give(own, spec.total, moment, formatOf(ask));
    if (spec.fault && opens(ask)) return given[spec.fault.payload](giving(ask, spec.fault.status));
    const layer = spec.layers.find((each) => isOf(ask, each));
    if (layer?.says) return given[layer.says](giving(ask, layer.status ?? 200));
    if (layer) {
      const answer = refusals[layer.refusal](refusing(ask, moment));
      return layer.status === undefined ? answer : { ...answer, status: layer.status };
    }
    if (ask.door === 'rewrite') return base(ask, moment);
    if (oddDoors.includes(ask.door)) {
      if (spec.oddPaths === 'asMissing') return missing(ask, moment);
      if (spec.oddPaths === 'closed') return refusals.closed();
      if (spec.oddPaths === 'redirect') return { status: 301, location: '/api/v2/workout/', body: '' };
    }
    return refused(ask, moment);
  };

  const publicAnswer = (ask: Asked, moment: Random): Answer => {
    const isOwners = hasGoodKey(ask);
    switch (spec.publicAccess) {
      case 'needsKey':
      case 'frameForAll':
        return isOwners ? bodies.publicAnswer(moment, ask.index) : refused(ask, moment);
      case 'moreWithKey':
        return bodies.publicAnswer(moment, ask.index, isOwners ? 'both' : 'everybody');
      case 'ownWithKey':
        return bodies.publicAnswer(moment, ask.index, isOwners ? 'owner' : 'nobody');
      case 'atRandom':
        return bodies.publicAnswer(moment, ask.index, 'some');
      case 'marked':
        return bodies.publicAnswer(moment, ask.index, isOwners ? 'marked' : 'unmarked');
      case 'nullRows':
      case 'maskedRows':
        return bodies.publicAnswer(moment, ask.index, isOwners ? 'everybody' : spec.publicAccess);
      case 'noticeRow':
      case 'newsForAll':
        return bodies.publicAnswer(moment, ask.index, isOwners ? 'everybody' : 'notice');
      default:
        return bodies.publicAnswer(moment, ask.index);
    }
  };

  const written = (ask: Asked, answer: Answer): Answer => {
    if (!answer.contentType?.includes('json') || answer.closed) return answer;
    if (spec.scripts && ask.door === 'callback')
      return { ...answer, status: 200, contentType: mediaTypes.script, body: scriptOf(answer.body) };
    return spec.charset === 'utf-8' ? answer : { ...answer, charset: spec.charset };
  };

  const answerAt = (ask: Asked): Answer => {
    const moment = momentOf(ask);
    switch (ask.place) {
      case 'operation':
        return operation(ask, moment);
      case 'missing':
        return missing(ask, moment);
      case 'base':
        return base(ask, moment);
      case 'login':
        return loginPage(moment, spec.words);
      case 'public':
        return publicAnswer(ask, moment);
      case 'other':
        return hasGoodKey(ask)
          ? bodies.give(bodies.rowsFor(20 + ask.index, 2), 2, moment, spec.format)
          : refused(ask, moment);
    }
  };
  const withFields = (ask: Asked, answer: Answer): Answer => {
    if (!spec.richFields) return answer;
    const named = hasGoodKey(ask) ? rowFields(own[0] ?? null, context.random.fork('named')) : [];
    return {
      ...answer,
      headers: [...(answer.headers ?? []), ...ordinaryFields(momentOf(ask).fork('fields')), ...named],
    };
  };
  return { spec, answer: (ask) => withFields(ask, written(ask, answerAt(ask))), opens };
};
