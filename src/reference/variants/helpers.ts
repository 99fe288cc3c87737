import { type Answer, json } from '../answer.js';
import type { Override, Resource, ServiceContext } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Unnamed, VariantDefinition } from '../definitions.js';

/** Helpers to define variants. */

type More = Partial<VariantDefinition>;

export const variant = (title: string, override: Override, more: More = {}): Unnamed<VariantDefinition> => ({
  title,
  override,
  ...more,
});

/** A variant that refuses with this answer. */
export const refusing = (
  title: string,
  refuse: (call: Call, service: ServiceContext, resource: Resource) => Answer,
  more: More = {},
): Unnamed<VariantDefinition> =>
  variant(title, (_, service) => ({ refuse: (call, resource) => refuse(call, service, resource) }), more);

/** A page of a list, as `conforming` returns it. */
export interface Page {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

/** A variant that renders every answer with status 200 in another form. */
export const showing = (
  title: string,
  show: (page: Page, call: Call, resource: Resource) => Answer | object,
  more: More = {},
): Unnamed<VariantDefinition> => variant(title, shownAs(show), more);

export const shownAs =
  (show: (page: Page, call: Call, resource: Resource) => Answer | object): Override =>
  (base) => ({
    represent: (call, resource, owner) => {
      const answer = base.represent(call, resource, owner);
      if (answer.status !== 200) return answer;
      const shown = show(JSON.parse(answer.body.toString()) as Page, call, resource);
      return 'status' in shown && 'body' in shown ? (shown as Answer) : json(200, shown, answer.headers.slice(1));
    },
  });

/** Combines overrides, applied in order. */
export const combine =
  (...overrides: readonly Override[]): Override =>
  (base, service) => {
    const all: ReturnType<Override> = {};
    for (const override of overrides) Object.assign(all, override({ ...base, ...all }, service));
    return all;
  };
