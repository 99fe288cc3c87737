import type { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';

/** What the formats of a validation said. */
export interface FormatWatch {
  /** Whether a value was not of its format since this was last set to false. */
  failed: boolean;
}

/** Gives a validator the formats that are known, and notes what they say in `watch`. */
export const addWatchedFormats = (ajv: Ajv, watch: FormatWatch): void => {
  // A CommonJS module, whose default export NodeNext sees one level further down.
  ajvFormats.default(ajv, { keywords: false });
  for (const [name, format] of Object.entries(ajv.formats)) {
    const test = typeof format === 'object' && 'validate' in format ? format.validate : format;
    const accepts = test instanceof RegExp ? (value: unknown) => test.test(String(value)) : test;
    if (typeof accepts !== 'function') continue;
    const validate = (value: unknown): boolean => {
      const fits = (accepts as (value: unknown) => boolean)(value);
      watch.failed ||= !fits;
      return fits;
    };
    ajv.addFormat(
      name,
      typeof format === 'object' && 'type' in format && format.type === 'number'
        ? { type: 'number', validate }
        : { type: 'string', validate },
    );
  }
};
