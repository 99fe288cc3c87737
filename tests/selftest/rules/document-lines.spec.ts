import { atLine, lineOf, withoutLines } from '../../../src/rules/support/judgement.js';
import { expect, test } from '../support/test.js';

for (const file of ['openapi.yaml', '../api/v2.json', 'https://api.example/openapi.yaml', 'C:\\api\\openapi.yaml'])
  for (const [line, column] of [
    [1, 83_085],
    [12, 3],
  ] as const)
    test(`a sentence about line ${line} of ${file} is equal without it to one about another line`, () => {
      const said = (at: number): string =>
        `In the body, /id is missing (as seen)${atLine(lineOf({ file, line: at, column }))}. Nor do others fit.`;
      expect(withoutLines(said(line))).toBe('In the body, /id is missing (as seen). Nor do others fit.');
      expect(withoutLines(said(line + 1))).toBe(withoutLines(said(line)));
    });
