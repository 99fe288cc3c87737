import type { Operation } from '../../contract/model.js';
import { pathSegments } from '../../urls.js';
import type { Probe, Response } from '../../wire/types.js';
import { answerOf, authOrProxyStatuses, isSuccess, isUnavailable } from '../oracle/answers.js';
import type { Ask, OperationSubject } from '../rule.js';
import { missingOf, requestWithoutKey } from '../support/requests.js';
import { splitTarget } from '../support/targets.js';
import { isAsNowhere } from './redirects.js';

/** A likely mistake in the path of BASE_URL, and what to do about it. */
export interface BasePathHint {
  readonly says: string;
  readonly advice: string;
}

const version = /^v\d+(?:\.\d+)*$/i;

/** Whether two segments are equal, or both are versions. */
const corresponds = (segment: string, other = ''): boolean =>
  segment === other || (version.test(segment) && version.test(other));

/** The longest end of `base`, in whole segments, with which `path` begins. */
const sharedPart = (base: readonly string[], path: readonly string[]): readonly string[] => {
  for (let length = Math.min(base.length, path.length); length > 0; length -= 1) {
    const end = base.slice(-length);
    if (end.every((segment, index) => corresponds(segment, path[index]))) return end;
  }
  return [];
};

/**
 * Whether BASE_URL ends with the beginning of a documented path, so that the request has it twice.
 * Some deployments are like that, so this matters only if the operation does not open.
 */
export const repeatedBasePath = (
  { origin, basePath }: { readonly origin: string; readonly basePath: string },
  paths: readonly string[],
): BasePathHint | undefined => {
  const base = pathSegments(basePath);
  for (const documented of paths) {
    const [path] = splitTarget(documented);
    const segments = pathSegments(path);
    const part = sharedPart(base, segments);
    const otherwise = part.some((segment, index) => segment !== segments[index]) ? ', of another version' : '';
    if (part.length > 0)
      return {
        says: `${origin}${basePath} ends in a part of the documented path${otherwise}.`,
        advice: `The contract appends the documented paths itself: leave /${part.join('/')} out of BASE_URL.`,
      };
  }
  return undefined;
};

/** Whether BASE_URL has none of the servers' paths. A gateway may add segments in front. */
export const unlikeServers = (
  { origin, basePath }: { readonly origin: string; readonly basePath: string },
  serverPaths: readonly string[],
): BasePathHint | undefined => {
  const [first] = serverPaths;
  if (first === undefined || serverPaths.some((path) => basePath.endsWith(path))) return undefined;
  return {
    says: `The document's servers have the path ${first}, and BASE_URL ${basePath === '' ? 'has none' : `has ${basePath}`}.`,
    advice: `If nothing is found, try BASE_URL=${origin}${first}.`,
  };
};

/** Maximum number of other operations that are asked for below BASE_URL. */
const mostOthers = 50;

/**
 * Whether the answer is HTML although the document describes only other media types. Services with
 * a web interface may answer every unknown path with it.
 */
export const isPageInstead = (answer: Response, { responses }: Operation): boolean => {
  const described = responses.flatMap(({ content }) => content.map(({ mediaType }) => mediaType));
  return (
    isSuccess(answer) &&
    answer.shape.kind === 'html' &&
    described.length > 0 &&
    !described.some((name) => /html|\*/.test(name))
  );
};

const unkeyed = (subject: OperationSubject, prefix: string): Probe =>
  requestWithoutKey(subject, {
    name: prefix === subject.deployment.basePath ? 'without a key' : `without a key, below ${prefix || '/'}`,
    target: `${prefix}${subject.operation.target}`,
  });

/** Whether an operation and a missing path are answered differently, both without a key. */
const isFoundAt = (ask: Ask, subject: OperationSubject, prefix: string): boolean => {
  const probe = unkeyed(subject, prefix);
  const [there, nowhere] = ask.all([probe, missingOf(subject, probe)]);
  const here = answerOf(there);
  if (!here || !answerOf(nowhere) || isUnavailable(here)) return false;
  return !isAsNowhere(there, nowhere, subject) && !isPageInstead(here, subject.operation);
};

/**
 * Whether every path below the prefix asks for a key, and a missing path below BASE_URL does not.
 */
const isGuardedAt = (ask: Ask, subject: OperationSubject, prefix: string): boolean => {
  const outside = missingOf(subject, unkeyed(subject, subject.deployment.basePath));
  const [here, nowhere] = ask.all([unkeyed(subject, prefix), outside]).map(answerOf);
  return here !== undefined && nowhere !== undefined && isRefusal(here) && !isRefusal(nowhere);
};

const isRefusal = ({ status }: Response): boolean => authOrProxyStatuses.has(status);

/**
 * A hint that BASE_URL is wrong: no operation is found below it, but this one is found below the
 * path of one of the document's servers, or a key is asked for there.
 */
export const foundBelowServer = (ask: Ask, subject: OperationSubject): BasePathHint | undefined => {
  const { contract, deployment } = subject;
  const { basePath, origin, isPart = false } = deployment;
  const isOther = (path: string): boolean => path !== basePath;
  const found = contract.serverPaths.find((path) => isOther(path) && isFoundAt(ask, subject, path));
  const prefix = found ?? contract.serverPaths.find((path) => isOther(path) && isGuardedAt(ask, subject, path));
  if (prefix === undefined) return undefined;
  const others = isPart
    ? []
    : contract.operations
        .filter(({ id, keyless }) => id !== subject.operation.id && keyless === undefined)
        .slice(0, mostOthers);
  if (others.some((operation) => isFoundAt(ask, { ...subject, operation }, basePath))) return undefined;
  return {
    says: `${isPart ? 'The operation is not' : 'Nothing of the document is'} found below ${origin}${basePath}, and ${found === undefined ? 'a key is asked for' : 'it is found'} below ${origin}${prefix}, which is the path of the document's servers.`,
    advice: `Set BASE_URL=${origin}${prefix}.`,
  };
};
