import { memoizePerObject } from '../../collections.js';
import type { Contract } from '../../contract/model.js';
import type { Ask, Deployment, KeyHolder, OperationSubject } from '../rule.js';
import { openedTo } from './reading.js';
import { holdsOne } from './stated-scopes.js';
import { type View, viewOf } from './views.js';

/** Operations that are tried until one opens. */
const mostTried = 6;

/** Operations that the document says open to an identity, before those of which it says nothing. */
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
 * Whether the key of an identity opens anything. A key that does not may have ended, and what it is
 * refused shows nothing of scopes.
 */
export const opensAnything = (ask: Ask, { contract, deployment }: OperationSubject, identity: KeyHolder): boolean =>
  candidates(identity)(deployment)(contract).some((view) => openedTo(ask, view) !== undefined);
