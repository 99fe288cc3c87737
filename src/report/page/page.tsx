/** @jsxImportSource preact */
import { renderToString } from 'preact-render-to-string';
import type { RunRecord, StoredExchange } from '../../engine/results.js';
import type { Explain } from '../explain.js';
import { verdictSentence } from '../sentences.js';

export async function* pageHtml(
  record: RunRecord,
  _decisive: ReadonlyMap<string, StoredExchange>,
  _explain?: Explain,
): AsyncGenerator<string> {
  yield '<!doctype html>';
  yield renderToString(
    <html lang="en">
      <head>
        <title>{verdictSentence(record.results)}</title>
      </head>
      <body>
        <h1>{verdictSentence(record.results)}</h1>
      </body>
    </html>,
  );
}
