import { createReadValues } from '../../../src/wire/read-values.js';
import { expect, test } from '../support/test.js';

/** Values of answers and of IDENTITIES, in requests. */

const filled = (value: string, template: string, isField: boolean, isOwn = true): string => {
  const values = createReadValues();
  values.learn('<ID_OF_ADA>', value);
  return values.fill(template, isOwn, isField);
};

test('a value is percent-encoded in a URL, and sent as it is where it is a field', () => {
  expect(filled('ada+x@orchard.example', '/orders?owner=<ID_OF_ADA>', false)).toBe(
    '/orders?owner=ada%2Bx%40orchard.example',
  );
  expect(filled('ada+x@orchard.example', '<ID_OF_ADA>', true)).toBe('ada+x@orchard.example');
  expect(filled('ada+x@orchard.example', '/orders/<ID_OF_ADA>', true)).toBe('/orders/ada%2Bx%40orchard.example');
  expect(filled('ada', '<ID_OF_ADA>', true, false)).toBe('withheld');
});

test('a text that no field may hold, or that would stand for a key, is encoded there too', () => {
  expect(filled('a\r\nX-Role: admin', '<ID_OF_ADA>', true)).toBe('a%0D%0AX-Role%3A%20admin');
  expect(filled('<API_KEY>', '<ID_OF_ADA>', true)).toBe('%3CAPI_KEY%3E');
  expect(filled(' ada', '<ID_OF_ADA>', true)).toBe('%20ada');
});
