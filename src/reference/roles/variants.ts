import { pageOf } from '../behaviour.js';
import { withNames } from '../definitions.js';
import { fieldOf, json, redirect, withHeaders } from '../messages.js';
import { places, plans, type RolesVariant, workoutOf, workouts } from './behaviour.js';

/** Variants that conform to the same document. */
export const variants = withNames<RolesVariant>({
  'not-found-without-scope': {
    title: 'Without the role there is nothing there: 404 in place of 403.',
    override: (_, { self }) => ({ forbid: (call) => self.missing(call) }),
  },
  'role-in-a-field-narrows': {
    title: 'A request may name the roles that it uses in X-User-Role, and has no others then.',
    override: (base) => ({
      allows(call, wanted, caller) {
        const named = fieldOf(call, 'X-User-Role')?.split(',');
        const holds = named ? caller.holds.filter((role) => named.includes(role)) : caller.holds;
        return base.allows(call, wanted, { ...caller, holds });
      },
    }),
  },
  'empty-list-without-scope': {
    title: 'Without the role every list is empty, with 200.',
    // A server that does not check the role answers an account without rows in the same way.
    verdict: 'incomplete',
    override: (base, { origin }) => ({
      forbid: (call, wanted, caller) =>
        wanted.id === undefined
          ? json(200, pageOf([], origin() + wanted.place.path))
          : base.forbid(call, wanted, caller),
    }),
  },
  'refuses-scope-with-200': {
    title: 'A key without the role gets 200 with an error in an envelope.',
    override: () => ({ forbid: () => json(200, { ok: false, error: { code: 4031, reason: 'role' } }) }),
  },
  'redirects-without-scope': {
    title: 'A key without the role is sent to a page where more can be asked for.',
    override: () => ({ forbid: () => redirect(302, '/') }),
  },
  'forbids-peers-items': {
    title: 'A workout of somebody else is forbidden with 403; one that does not exist is missing with 404.',
    override: (base) => ({
      answer(call) {
        const answer = base.answer(call);
        const id = base.route(call)?.id;
        const isSomebodys = workouts.some((workout) => workout.id === id);
        return answer.status === 404 && isSomebodys ? json(403, { detail: 'This is not yours.' }) : answer;
      },
    }),
  },
  'shared-plans': {
    title: 'Every member sees two plans among the workouts, which nobody owns, and can open them.',
    override: (base) => ({
      rows: (call, wanted, caller) => [
        ...(wanted.place === places.workouts ? plans : []),
        ...base.rows(call, wanted, caller),
      ],
      workout: (call, wantedId, caller) =>
        plans.find(({ id }) => id === wantedId) ?? base.workout(call, wantedId, caller),
    }),
  },
  'auditor-sees-all': {
    title: 'An auditor sees the workouts of every account, in the list and one by one.',
    override: (base) => ({
      rows: (call, wanted, caller) =>
        wanted.place === places.workouts && caller?.holds.includes('auditor')
          ? workouts
          : base.rows(call, wanted, caller),
      workout: (call, wantedId, caller) =>
        caller.holds.includes('auditor') ? workoutOf(wantedId) : base.workout(call, wantedId, caller),
    }),
  },
  'owner-in-query-narrows': {
    title: '?owner= and X-Tenant-Id choose among the rows of the account: those of others are none.',
    override: (base) => ({
      rows(call, wanted, caller) {
        const named = call.query.get('owner') ?? fieldOf(call, 'X-Tenant-Id');
        const rows = base.rows(call, wanted, caller);
        return named === null || named === undefined || named === caller?.account || wanted.place.opens.length === 0
          ? rows
          : [];
      },
    }),
  },
  'own-rows-at-any-account': {
    title: 'Whose goals a path asks for counts for nothing: a member gets those of its own account.',
    override: (base) => ({
      isOwn: () => true,
      rows: (call, wanted, caller) =>
        base.rows(call, wanted.place === places.goals ? { ...wanted, member: caller?.account ?? '' } : wanted, caller),
    }),
  },
  'unknown-parameters-refused': {
    title: 'A parameter that the document does not list is refused with 400.',
    override: (base) => ({
      answer: (call) =>
        [...call.query.keys()].some((name) => name !== 'page')
          ? json(400, { detail: `Unknown parameter; the owner ${call.query.get('owner')} is not asked for.` })
          : base.answer(call),
    }),
  },
  'ids-per-account': {
    title: 'Ids count from 1 in every account, so that both have a workout 1.',
    override: (base) => ({
      rows: (call, wanted, caller) => {
        const rows = base.rows(call, wanted, caller);
        return wanted.place === places.workouts ? rows.map((row, index) => ({ ...row, id: String(index + 1) })) : rows;
      },
      workout: (call, wantedId, caller) => {
        const own = base.rows(call, { place: places.workouts }, caller);
        const index = /^[1-9]\d{0,5}$/.test(wantedId) ? Number(wantedId) - 1 : -1;
        return own[index] && { ...own[index], id: wantedId };
      },
    }),
  },
  'upper-case-ids-are-the-same': {
    title: 'The case of an id means nothing; whose it is counts all the same.',
    override: (base) => ({ workout: (call, id, caller) => base.workout(call, id.toLowerCase(), caller) }),
  },
  'head-with-fields-alone': {
    title: 'HEAD is answered with the fields of GET but its length, to those who may read it.',
    override: (base) => ({
      answer: (call) =>
        call.method === 'HEAD' ? { ...withHeaders(base.answer(call), []), delivery: 'chunked' } : base.answer(call),
    }),
  },
});
