import type { KeywordDefinition } from 'ajv';

/** Stands in the place of a schema that cannot be used; its value says why. No document has a keyword of this name. */
const unsupportedKeyword = 'access-conformance:unusable';

/** Keeps whatever holds such a schema from being compiled. */
export const unsupportedKeywordDefinition: KeywordDefinition = {
  keyword: unsupportedKeyword,
  schemaType: 'string',
  compile: (reason: string) => {
    throw new Error(reason);
  },
};

/** @param reason finishes "… has a schema that cannot be used (…)" */
export const unsupportedSchema = (reason: string): Readonly<Record<string, unknown>> => ({
  [unsupportedKeyword]: reason,
});
