import type { Probe } from '../../src/wire/types.js';
import { invalidKey, json, missing, moved, page, refusals, unanswered, type WireAnswer } from './deployment-answers.js';
import {
  exercises,
  leaks,
  placements,
  plans,
  type ReadRequest,
  readRequest,
  sendsKey,
  workouts,
} from './deployment-requests.js';
import type { DeploymentSpec, Serving } from './deployment-spec.js';
import { fronts } from './fronts.js';
import { type Random, randomOf } from './random.js';

/**
 * Whole deployments as pure functions of requests: an application behind HTTPS that takes the key
 * in some way at some path, and a front that answers plain HTTP.
 */

export type GeneratedDeployment = (probe: Probe) => WireAnswer;

const rowsOf = (name: string, changes: string): readonly unknown[] =>
  ['one', 'two', 'three'].map((word, at) => ({
    id: 70_000 + at + name.length * 10,
    name: `${name} ${word}`,
    note: `written by hand, ${name} ${word}`,
    ...(changes === '' ? {} : { seen: changes }),
  }));

const resourceOf = (name: string, { changes, single }: DeploymentSpec, moment: Random): WireAnswer => {
  const rows = rowsOf(name, changes ? String(moment.int(1e9, 9e9)) : '');
  return json(200, single ? rows[0] : { count: rows.length, next: null, results: rows });
};

/** The path at which a documented path is served. */
const servedAt = (path: string, serving: Serving): string => {
  if (serving === 'nowhere') return '';
  if (serving === 'withoutSlash') return path.replace(/\/$/, '');
  if (serving === 'elsewhere') return path.replace('/api/', '/');
  return serving === 'otherVersion' ? path.replace('/v2/', '/v1/') : path;
};

const ofNoOperation = (spec: DeploymentSpec, { path, raw }: ReadRequest, hasKey: boolean, moment: Random) => {
  if (path === '/' && spec.base === 'root') return json(200, { service: 'fitness', version: '2.1' });
  if (path === '/' && spec.base === 'docs') return page(200, 'API', '<h1>Documentation</h1>');
  if (path === '/login/') return page(200, 'Log in', '<form><input type="password"></form>');
  const isServed = spec.serving === 'asDocumented' && [workouts, plans, exercises].includes(`${path}/`);
  if (spec.addsSlash && isServed) return moved(`${path}/`);
  if (!hasKey && spec.refusesFirst) return refusals[spec.refusal]({ path: raw, moment });
  if (spec.serving === 'withoutSlash' && path.endsWith('/')) return moved(path.replace(/\/$/, ''));
  return missing[spec.missing]({ path: raw, moment });
};

const application = (spec: DeploymentSpec, request: ReadRequest, moment: Random, isPlain: boolean): WireAnswer => {
  const { path, method, raw, get } = request;
  const hasKey = spec.takes.some((name) => placements[name](request)) || (isPlain && spec.isGateless);
  const isRead = method === 'GET' || method === 'HEAD';
  const isWrong = !hasKey && spec.badKey !== 'refusal' && sendsKey(request);
  const notAllowed = (allow: string): WireAnswer => json(405, { detail: 'Not allowed.' }, [['Allow', allow]]);
  if (method === 'OPTIONS' && spec.options === 'preflight')
    return { status: 204, body: '', headers: [['Access-Control-Allow-Origin', '*']] };
  if (isWrong && spec.badKey === 'toldOfPublicToo' && path.startsWith('/api/')) return invalidKey;
  const isOpen = hasKey || !spec.publicNeedsKey;
  if (path === exercises && isOpen) return isRead ? resourceOf('exercise', spec, moment) : notAllowed('GET');
  const at = path === exercises ? exercises : [workouts, plans].find((one) => path === servedAt(one, spec.serving));
  if (at === undefined) return ofNoOperation(spec, request, hasKey, moment);
  if (method === 'OPTIONS' && spec.options === 'described') return json(200, { name: at, methods: ['GET'] });
  if (method === 'OPTIONS' && spec.options === 'allowed') return { status: 200, body: '', headers: [['Allow', 'GET']] };
  if (isWrong) return invalidKey;
  if (!hasKey) return refusals[spec.refusal]({ path: raw, moment });
  if (spec.serving === 'postOnly') return notAllowed('POST');
  if (!isRead) return notAllowed('GET');
  if (spec.serving === 'versionField' && !/^v?2$/.test(get('api-version') ?? ''))
    return json(400, { error: 'Which version?' });
  return resourceOf(at === workouts ? 'workout' : 'plan', spec, moment);
};

const overPlainHttp = (spec: DeploymentSpec, request: ReadRequest, moment: Random, port: string): WireAnswer => {
  if (port === '443') {
    if (spec.tlsPort === 'application') return application(spec, request, moment, true);
    return spec.tlsPort === 'closed' ? unanswered('reset') : page(400, '400', 'Plain HTTP was sent to the HTTPS port');
  }
  if (spec.leak !== undefined && leaks[spec.leak](request)) return application(spec, request, moment, true);
  if (spec.frontRefusesKeys && sendsKey(request)) return invalidKey;
  if (spec.frontRefuses !== undefined && leaks[spec.frontRefuses](request))
    // Preflights are for a proxy to answer.
    return request.method === 'OPTIONS' && spec.options === 'preflight'
      ? application(spec, request, moment, true)
      : refusals[spec.refusal]({ path: request.raw, moment });
  return fronts[spec.front]({ ...spec, ...request, path: request.raw, moment });
};

const asSent = (answer: WireAnswer, method: string): WireAnswer => {
  if (answer.error !== undefined) return answer;
  const length = ['Content-Length', String(Buffer.byteLength(answer.body))] as const;
  return { ...answer, headers: [...(answer.headers ?? []), length], ...(method === 'HEAD' ? { body: '' } : {}) };
};

export const deploymentOf =
  (spec: DeploymentSpec): GeneratedDeployment =>
  (probe) => {
    const { target, headers, round, occasion, method, origin } = probe;
    const request = readRequest(probe, spec.routing);
    const moment = randomOf(`${spec.seed} ${JSON.stringify([target, headers, round, occasion])}`);
    const { protocol, port } = new URL(origin);
    return asSent(
      protocol === 'https:' ? application(spec, request, moment, false) : overPlainHttp(spec, request, moment, port),
      method,
    );
  };
