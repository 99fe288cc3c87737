import { memoizePerObject } from '../../collections.js';
import type { Contract } from '../../contract/model.js';
import type { Ask, Deployment, KeyHolder, OperationSubject } from '../rule.js';
import { openedTo } from './reading.js';
import { holdsOne } from './stated-scopes.js';
import { type View, viewOf } from './views.js';

/** How many operations are tried until one opens. */
const mostTried = 6;

/**
 * Operations to try: first those whose documented scopes the identity holds, then those without a
 * statement about scopes.
 */
const candidates = memoizePerObject((identity: KeyHolder) =>
  memoizePerObject((deployment: Deployment) =>
    memoizePerObject((contract: Contract): readonly View[] => {
      const views = contract.operations.flatMap((operation) => {
        if (operation.access !== 'protected') return [];
        const view = viewOf({ contract, deployment, operation }, identity);
        return view && !view.isForeign ? [{ view, holds: holdsOne(operation, identity) }] : [];
      });
      return [...views.filter(({ holds }) => holds === true), ...views.filter(({ holds }) => holds === undefined)]
        .slice(0, mostTried)
        .map(({ view }) => view);
    }),
  ),
);

/**
 * Whether the key of an identity opens any operation. If it does not, it may have ended, so its
 * refusals show nothing about scopes.
 */
export const opensAnything = (ask: Ask, { contract, deployment }: OperationSubject, identity: KeyHolder): boolean =>
  candidates(identity)(deployment)(contract).some((view) => openedTo(ask, view) !== undefined);
