import { inspect } from 'node:util';

/**
 * Makes an object print `<hidden>` for these members, in `console.log` and as JSON. A copy of the
 * object prints them.
 */
export const hideInLogs = <Of extends object>(object: Of, ...secret: readonly (keyof Of)[]): Of => {
  const printed = (): object =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        value !== undefined && secret.includes(name as keyof Of) ? '<hidden>' : value,
      ]),
    );
  return Object.defineProperties(object, { toJSON: { value: printed }, [inspect.custom]: { value: printed } });
};
