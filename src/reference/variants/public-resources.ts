import { hash } from 'node:crypto';
import {
  type Override,
  openedAs,
  type Page,
  pageOf,
  publicAs,
  publicPagesAs,
  type Resource,
  type ServiceContext,
  workoutsAs,
} from '../behaviour.js';
import { combine, shownAs, type VariantDefinition, variant, withNames } from '../definitions.js';
import { type Answer, empty, fieldOf, html, json, text, withHeaders } from '../messages.js';

/** Variants with public resources that need no key, with unusual answers. */

/** Refuses an unknown key on public resources too, as common frameworks do. */
const refusesBadKeys =
  (status: number): Override =>
  (base) => ({
    represent: (call, resource, owner) =>
      resource !== 'workout' && owner === undefined && fieldOf(call, 'Authorization') !== undefined
        ? json(status, { detail: 'Invalid token.' })
        : base.represent(call, resource, owner),
  });

/** Workouts and exercises have the same members, in an envelope that changes with each answer. */
const alike: Override = (base, service) => {
  let answers = 0;
  return shownAs(({ results }) => {
    answers += 1;
    return {
      meta: { took_ms: Math.random() * 90, request: `req-${Math.random().toString(36).slice(2, 9)}`, seq: answers },
      results: results.map(({ id, name }) => ({ id, name })),
    };
  })(base, service);
};

/** Changes the representation of public resources for requests without a valid key. */
const publicWithoutKeyAs =
  (shown: (resource: Resource, service: ServiceContext) => Answer): Override =>
  (base, service) => ({
    represent: (call, resource, owner) =>
      resource === 'workout' || owner !== undefined ? base.represent(call, resource, owner) : shown(resource, service),
  });

/** Shows public lists with these rows; `owner` is whose key a request carried. */
const publicRowsAs =
  (shown: (rows: Page['results'], owner: string | undefined, resource: Resource) => readonly object[]): Override =>
  (base, service) =>
    publicPagesAs(({ results }, owner, resource) => pageOf(shown(results, owner, resource), service.httpsOrigin))(
      base,
      service,
    );

export const publicResourceVariants = withNames<VariantDefinition>({
  'public-refuses-bad-key': variant('Public resources answer 401 to a key that nobody has.', refusesBadKeys(401)),
  'public-forbids-bad-key': variant('Public resources answer 403 to a key that nobody has.', refusesBadKeys(403)),
  'public-page-cache': variant('A page cache answers for public resources, whatever the request carries.', (base) => {
    const kept = new Map<string, { readonly answer: Answer; readonly since: number }>();
    return {
      answer: async (call) => {
        const resource = base.route(call);
        if (call.method !== 'GET' || resource === undefined || resource === 'workout') return base.answer(call);
        const hit = kept.get(resource);
        const { answer, since } = hit ?? { answer: await base.answer(call), since: Date.now() };
        kept.set(resource, { answer, since });
        return withHeaders(answer, [
          ['Age', String(Math.floor((Date.now() - since) / 1000))],
          ['X-Cache', hit ? 'HIT' : 'MISS'],
          ['ETag', `"${hash('sha256', answer.body).slice(0, 16)}"`],
        ]);
      },
    };
  }),
  'public-greets-key': variant(
    'Public resources say whose key a request carried.',
    publicPagesAs((page, owner) => ({ user: owner ?? null, ...page })),
  ),
  'public-richer-with-key': variant(
    'Public resources hold a list of the notes of whose key a request carried.',
    publicPagesAs((page, owner) => (owner ? { ...page, notes: [`A note that ${owner} wrote`] } : undefined)),
  ),
  'public-text-by-key': variant(
    'Public resources are texts, another one for whose key a request carried.',
    publicAs((owner, _, resource) =>
      text(200, ['first', 'second'].map((line) => `${line} ${resource} for ${owner ?? 'anybody'}\n`).join('')),
    ),
    { verdict: 'incomplete', outcomes: { 'opens-without-credentials': 'inconclusive' } },
  ),
  'public-empty-but-for-the-owner': variant(
    'There are no public exercises and ingredients; whose key a request carried has some. Or they are held back: nobody can tell.',
    publicWithoutKeyAs((_, { httpsOrigin }) => json(200, pageOf([], httpsOrigin))),
    { verdict: 'incomplete', outcomes: { 'opens-without-credentials': 'inconclusive' } },
  ),
  'public-null-but-for-the-owner': variant(
    'The same, and a list without entries is null.',
    publicWithoutKeyAs(() => json(200, { count: 0, next: null, previous: null, results: null })),
    { verdict: 'incomplete', outcomes: { 'opens-without-credentials': 'inconclusive' } },
  ),
  'public-invites-to-register': variant(
    'Without a key exercises and ingredients answer 200 with nothing but an invitation to register: what they are is a gap.',
    publicWithoutKeyAs((resource) =>
      json(200, { message: `Register to see every ${resource}.`, register: '/register/' }),
    ),
    { verdict: 'incomplete', outcomes: { 'opens-without-credentials': 'inconclusive' } },
  ),
  'public-at-random': variant(
    'Ingredients are five at each read, picked at random from all of them.',
    publicRowsAs((rows, _, resource) => {
      if (resource === 'exercise') return rows;
      const rest = [...rows];
      return Array.from({ length: 5 }, () => rest.splice(Math.floor(Math.random() * rest.length), 1)).flat();
    }),
  ),
  'public-one-of-the-day': variant(
    'Without a key exercises and ingredients are one entry that the key does not get; with it all the others.',
    publicRowsAs((rows, owner) => (owner === undefined ? rows.slice(0, 1) : rows.slice(1))),
  ),
  'public-with-marks': variant(
    'Exercises and ingredients have two more members, which are null without a key.',
    publicRowsAs((rows, owner) =>
      rows.map((row, index) => ({
        ...row,
        favourite: owner === undefined ? null : index % 2 === 0,
        last_used: owner === undefined ? null : `2024-05-${10 + index}`,
      })),
    ),
  ),
  'public-in-a-personal-wrapper': variant(
    'Public resources are bare lists, with a key in an object that says whose it is.',
    publicPagesAs(({ results }, owner) => (owner === undefined ? results : { user: owner, items: results })),
  ),
  'public-in-html': variant(
    'Public resources are web pages.',
    shownAs((page, _call, resource, answer) =>
      resource === 'workout'
        ? answer
        : html(200, resource, `<ul>${page.results.map(({ name }) => `<li>${name}</li>`).join('')}</ul>`),
    ),
  ),
  'public-and-workouts-share-names': variant(
    'Workouts and exercises have the same members, and some of the same values.',
    combine(
      shownAs(({ count, results }) => ({
        count,
        results: results.map(({ id, name, comment = null }) => ({
          id,
          name,
          comment,
          licence: 'Creative Commons Attribution Share Alike 4.0',
        })),
      })),
    ),
  ),
  'public-and-workouts-share-members': variant(
    'Workouts and exercises have the same members, in an envelope with a duration, a short identifier and a counter.',
    alike,
  ),
  'nothing-to-read': variant(
    'Who has no workouts gets 204, as does every OPTIONS; plain HTTP answers 200 with nothing in it.',
    combine(
      workoutsAs(() => empty(204)),
      () => ({ plain: () => empty(200) }),
    ),
  ),
  'nothing-anywhere': variant(
    'There are no workouts, exercises and ingredients yet, and every envelope holds a duration.',
    openedAs(() => json(200, { took_ms: Math.random() * 90, results: [] })),
  ),
});
