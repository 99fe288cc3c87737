import { type Override, paths, resourceAt } from '../behaviour.js';
import { type Call, withMethod } from '../call.js';
import { type FaultDefinition, faultsOf } from '../definitions.js';

/** The access check compares the path as text, and the router normalises it. */

/** The access check knows only the documented path; the router applies `undo` first. */
const routerUndoes =
  (undo: (path: string) => string): Override =>
  (base) => ({
    route: (call) => base.route(call) ?? (call.path === null ? undefined : resourceAt(undo(call.path))),
    guards: (call, resource) => base.guards(call, resource) && call.path === paths.workout,
  });

const gateOverlooks =
  (overlooks: (call: Call) => boolean): Override =>
  (base) => ({
    guards: (call, resource) => base.guards(call, resource) && !overlooks(call),
  });

const fault = faultsOf('AUTH-3', 'refuses-other-spellings');

const decodeLetters = (path: string): string =>
  path.replace(/%(?:[46][1-9a-f]|[57][0-9a])/gi, (code) => decodeURIComponent(code));

const decodePercent = (path: string): string => path.replace(/%25/g, '%');

const dropParents = (path: string): string => path.replace(/\/[^/]+\/\.\.(?=\/)/g, '');

export const pathSpellingFaults: readonly FaultDefinition[] = [
  fault(
    'double-slash-opens',
    'The router merges slashes, the gate does not.',
    routerUndoes((path) => path.replace(/\/{2,}/g, '/')),
  ),
  fault(
    'dot-segment-opens',
    'The router drops `/./`, the gate does not.',
    routerUndoes((path) => path.replace(/(?:\/\.)+(?=\/)/g, '')),
  ),
  fault('parent-segment-opens', 'The router resolves `/x/../`, the gate does not.', routerUndoes(dropParents)),
  fault(
    'parent-of-public-opens',
    'The gate lets through whatever begins with a public path, and the router resolves `..` afterwards.',
    routerUndoes((path) =>
      path.startsWith(paths.exercise) || path.startsWith(paths.ingredient) ? dropParents(path) : path,
    ),
  ),
  fault(
    'encoded-parent-opens',
    'The gate lets through whatever begins with a public path, and the router decodes `%2e%2e` and resolves it afterwards.',
    routerUndoes((path) => (path.startsWith(paths.exercise) ? dropParents(path.replace(/%2e/gi, '.')) : path)),
  ),
  fault(
    'parent-with-semicolon-opens',
    'The router takes `..;` for `..`, the gate for a name.',
    routerUndoes((path) => path.replace(/\/[^/]+\/\.\.;[^/]*(?=\/)/g, '').replace(/^(?:\/\.\.;[^/]*)+(?=\/)/, '')),
  ),
  fault(
    'path-parameter-opens',
    'The router drops what follows a semicolon in a segment, the gate does not.',
    routerUndoes((path) => path.replace(/;[^/]*/g, '').replace(/\/{2,}$/, '/')),
  ),
  fault(
    'path-parameter-at-end-opens',
    'The router drops what follows a semicolon right after the last slash, the gate does not.',
    routerUndoes((path) => path.replace(/\/;[^/]*$/, '/')),
  ),
  fault(
    'encoded-slash-opens',
    'The router decodes `%2f`, the gate does not.',
    routerUndoes((path) => path.replace(/%2f/gi, '/')),
  ),
  fault('encoded-letter-opens', 'The router decodes letters, the gate does not.', routerUndoes(decodeLetters)),
  fault(
    'twice-encoded-letter-opens',
    'The path is decoded once in front of the gate and once more behind it.',
    routerUndoes((path) => (path.includes('%25') ? decodeLetters(decodePercent(path)) : path)),
  ),
  fault(
    'upper-case-opens',
    'The router does not care about case, the gate does.',
    routerUndoes((path) => path.toLowerCase()),
  ),
  fault(
    'no-slash-opens',
    'The router also finds the path without its last slash, the gate does not.',
    routerUndoes((path) => (path.endsWith('/') ? path : `${path}/`)),
  ),
  fault(
    'json-suffix-opens',
    'The router takes `.json` for a wish about the format, the gate for another path.',
    routerUndoes((path) => path.replace(/\/?\.json\/?$/, '/')),
  ),
  fault(
    'format-query-opens',
    'With `?format=json` an old export answers, which asks for no key.',
    gateOverlooks(({ query }) => query.get('format') === 'json'),
  ),
  fault(
    'public-path-in-query-opens',
    'The gate lets through every request in whose target it finds the path of something public, be it in the query.',
    gateOverlooks(({ target }) => target.includes(paths.exercise) || target.includes(paths.ingredient)),
  ),
  fault(
    'style-sheet-suffix-opens',
    'The gate lets through what ends like a style sheet, and the router drops what follows a semicolon.',
    (base) => ({
      route: (call) => base.route(call) ?? (call.path === null ? undefined : resourceAt(call.path.replace(/;.*$/, ''))),
      guards: (call, resource) => base.guards(call, resource) && !/\.css$/.test(call.path ?? ''),
    }),
  ),
  fault(
    'style-sheet-query-opens',
    'The gate lets through every target that ends like a static file, and counts the query in.',
    gateOverlooks(({ target }) => /\.(?:css|js|png)$/.test(target)),
  ),
  fault(
    'backslash-opens',
    'The router takes a backslash for a slash, the gate does not.',
    routerUndoes((path) => path.replaceAll('\\', '/')),
  ),
  fault(
    'absolute-form-opens',
    'The gate compares the whole request target, so that its absolute form is no path that it knows.',
    gateOverlooks(({ target }) => /^https?:/i.test(target)),
  ),
  fault(
    'head-opens',
    'HEAD is not guarded: it tells the size of what the key opens.',
    gateOverlooks(({ method }) => method === 'HEAD'),
  ),
  fault(
    'head-tells-of-nobodys-rows',
    'HEAD is not guarded: without a key it tells the size of a list that is nobody’s.',
    (base) => ({
      answer: (call) => {
        const resource = base.route(call);
        return resource && call.method === 'HEAD' && base.identify(call) === undefined
          ? base.represent(call, resource, undefined)
          : base.answer(call);
      },
    }),
    { twin: 'HEAD without a key gets the fields of a notice' },
  ),
  fault('options-opens', 'OPTIONS passes the gate as a preflight and is served like GET.', (base) => ({
    answer: (call) => {
      const resource = base.route(call);
      return resource && call.method === 'OPTIONS'
        ? base.represent(withMethod(call, 'GET'), resource, 'mara')
        : base.answer(call);
    },
  })),
  fault(
    'http2-opens',
    'Requests over HTTP/2 reach the service without passing the gate.',
    gateOverlooks(({ httpVersion }) => httpVersion === '2.0'),
    { protocols: ['h2', 'http/1.1'] },
  ),
];
