import { pairsIn } from '../collections.js';
import type { FieldFacts, Salt } from './body-shape.js';
import { isSetCookie } from './cookies.js';
import { describeBody } from './describe-body.js';
import type { KeyRing } from './keyring.js';
import { maybeJson } from './partial-json.js';
import { isCurrentTime } from './scalars.js';

/**
 * Describes header fields that may contain data, such as dumps of errors and states of redirects.
 */

/** Whether a value may contain a record: at least two values, separated or encoded. */
const mayHoldRecord = (value: string): boolean =>
  value.length >= 12 && (/[\s,;&|{[]/.test(value) || maybeJson.test(value));

const longestValue = 16_384;
const maxCached = 256;

/**
 * The value of a field or cookie. A cookie's name and attributes come from the settings. The angle
 * brackets of Link (RFC 8288, section 3) are no markup.
 */
const dataIn = (name: string, value: string): string => {
  const data = isSetCookie(name) ? value.replace(/;.*/s, '').replace(/^[^=]*=/, '') : value;
  return (/^link$/i.test(name) ? data.replaceAll(/[<>]/g, ' ') : data).slice(0, longestValue);
};

/**
 * Creates a function that describes fields. Descriptions are cached, since many fields are the same
 * in every answer.
 */
export const createFieldDescriber = (keys: KeyRing, salt: Salt) => {
  const known = new Map<string, FieldFacts | null>();

  const describe = (name: string, value: string, echoes: readonly string[]): FieldFacts | null => {
    const { shape } = describeBody({
      bytes: Buffer.from(value, 'latin1'),
      contentType: 'text/plain',
      truncated: false,
      echoes,
      salt,
      isPartOfKey: keys.holds,
      ...(isSetCookie(name) ? {} : { redact: keys.redact }),
    });
    const { values, parts } = shape;
    // Values of cookies are secrets, so only digests of them are stored.
    const embedded = isSetCookie(name) ? [] : [...(shape.shape ? [shape.shape] : []), ...(shape.embedded ?? [])];
    if (values.length + (parts?.length ?? 0) < 2) return null;
    return {
      name: keys.redact(name).toLowerCase(),
      values,
      ...(parts ? { parts } : {}),
      ...(embedded.length > 0 ? { embedded } : {}),
    };
  };

  /**
   * @param raw names and values in turn
   * @param echoes parts of the request that the server may repeat
   */
  return (raw: readonly string[], echoes: readonly string[]): readonly FieldFacts[] => {
    const found: FieldFacts[] = [];
    for (const [name, content] of pairsIn(raw)) {
      const value = dataIn(name, content);
      if (!mayHoldRecord(value) || isCurrentTime(value)) continue;
      const repeated = echoes.filter((echo) => value.includes(echo));
      const place = [keys.version, name, ...repeated, '', value].join('\n');
      const before = known.get(place);
      const facts = before === undefined ? describe(name, value, echoes) : before;
      if (before === undefined) {
        if (known.size >= maxCached) known.clear();
        known.set(place, facts);
      }
      if (facts) found.push(facts);
    }
    return found;
  };
};
