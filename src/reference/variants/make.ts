import { type Answer, json } from '../answer.js';
import type { Resource, Surroundings, Twist } from '../behaviour.js';
import type { Call } from '../call.js';
import type { VariantPlan } from '../plan.js';

/** Short ways to write the kinds of variants that come often. */

type More = Partial<VariantPlan>;

export const variant = (name: string, title: string, twist: Twist, more: More = {}): VariantPlan => ({
  name,
  title,
  twist,
  ...more,
});

/** Says no in its own way. */
export const refusing = (
  name: string,
  title: string,
  refuse: (call: Call, around: Surroundings, resource: Resource) => Answer,
  more: More = {},
): VariantPlan =>
  variant(name, title, (_, around) => ({ refuse: (call, resource) => refuse(call, around, resource) }), more);

/** What a page of a list looks like before somebody gives it another form. */
export interface Page {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/** Gives every good answer another form; other answers (no such page) stay. */
export const showing = (
  name: string,
  title: string,
  show: (page: Page, call: Call, resource: Resource) => Answer | object,
  more: More = {},
): VariantPlan => variant(name, title, shownAs(show), more);

export const shownAs =
  (show: (page: Page, call: Call, resource: Resource) => Answer | object): Twist =>
  (before) => ({
    represent: (call, resource, owner) => {
      const answer = before.represent(call, resource, owner);
      if (answer.status !== 200) return answer;
      const shown = show(JSON.parse(answer.body.toString()) as Page, call, resource);
      return 'status' in shown && 'body' in shown ? (shown as Answer) : json(200, shown, answer.headers.slice(1));
    },
  });

/** One twist after the other. */
export const together =
  (...twists: readonly Twist[]): Twist =>
  (before, around) => {
    const all: ReturnType<Twist> = {};
    for (const twist of twists) Object.assign(all, twist({ ...before, ...all }, around));
    return all;
  };
