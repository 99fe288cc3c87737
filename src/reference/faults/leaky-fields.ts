import type { Override } from '../behaviour.js';
import { type Workout, workoutsOf } from '../data.js';
import { type FaultDefinition, faultsOf, withNames } from '../definitions.js';
import { type HeaderPair, withHeaders } from '../messages.js';

/** Faults where the values of a row are split over what a refusal says outside its body. */

const fault = faultsOf('AUTH-3', 'refuses-missing-key');

/** Refuses as usual, with fields that are made of a workout. */
const leaks =
  (fieldsOf: (workout: Workout) => readonly HeaderPair[]): Override =>
  (base) => ({
    refuse: (call, resource) =>
      withHeaders(base.refuse(call, resource), workoutsOf('mara').slice(0, 1).flatMap(fieldsOf)),
  });

export const leakyFieldFaults = withNames<FaultDefinition>({
  'row-in-refusal-fields': fault(
    'The refusal has a field for each value of a workout.',
    leaks(({ uuid, date, name }) => [
      ['X-Workout', uuid],
      ['X-Workout-Date', date],
      ['X-Workout-Name', name],
    ]),
  ),
  'row-in-refusal-cookies': fault(
    'The refusal sets a cookie for each value of a workout.',
    leaks(({ date, name, comment }) =>
      Object.entries({ date, name, comment }).map(([title, value]) => [
        'Set-Cookie',
        `${title}=${encodeURIComponent(value)}; Path=/`,
      ]),
    ),
  ),
  'row-in-refusal-file-name': fault(
    'The refusal names the file of a workout by its values, and links to it.',
    leaks(({ uuid, date, name }) => [
      ['Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(`${name}|${date}.csv`)}`],
      ['Link', `</exports/${uuid}>; rel="alternate"`],
    ]),
  ),
});
