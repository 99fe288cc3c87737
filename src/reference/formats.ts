import { type Answer, html, text, withHeaders } from './messages.js';

/** Renders JSON lists in other formats. */

type Rows = readonly Readonly<Record<string, unknown>>[];

/** The rows of a page. Any other JSON object, such as a refusal, is one row. */
const rowsOf = ({ body }: Answer): Rows => {
  const value = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>;
  return Array.isArray(value.results) ? (value.results as Rows) : [value];
};

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);

const quoted = (value: unknown): string => `"${plainText(value).replaceAll('"', '""')}"`;

const escaped = (value: unknown): string =>
  plainText(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const columnsOf = (rows: Rows): readonly string[] => Object.keys(rows[0] ?? {});

/** Replaces body and media type, and keeps the other fields. */
const as = (answer: Answer, form: Answer): Answer => ({
  ...withHeaders(answer, form.headers),
  body: form.body,
});

export const inCsv = (answer: Answer): Answer => {
  const rows = rowsOf(answer);
  const columns = columnsOf(rows);
  const lines = [columns.join(','), ...rows.map((row) => columns.map((name) => quoted(row[name])).join(','))];
  return as(answer, text(200, `${lines.join('\r\n')}\r\n`, 'text/csv; charset=utf-8'));
};

export const inEvents = (answer: Answer): Answer => {
  const events = rowsOf(answer).map((row) => `data: ${JSON.stringify(row)}\n\n`);
  return as(answer, text(200, events.join(''), 'text/event-stream'));
};

export const inXml = (answer: Answer): Answer => {
  const items = rowsOf(answer).map(
    (row) =>
      `<item>${Object.entries(row)
        .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
        .join('')}</item>`,
  );
  return as(
    answer,
    text(200, `<?xml version="1.0" encoding="utf-8"?>\n<list>${items.join('')}</list>\n`, 'application/xml'),
  );
};

export const inHtml = (answer: Answer): Answer => {
  const rows = rowsOf(answer);
  const columns = columnsOf(rows);
  const cells = (tag: string, values: readonly unknown[]): string =>
    `<tr>${values.map((value) => `<${tag}>${escaped(value)}</${tag}>`).join('')}</tr>`;
  const table = [
    cells('th', columns),
    ...rows.map((row) =>
      cells(
        'td',
        columns.map((name) => row[name]),
      ),
    ),
  ];
  return as(answer, html(200, 'List', `<table>${table.join('')}</table>`));
};

/** JSONP: a script that passes the data to a function of the page. */
export const inScript = (answer: Answer, callback: string): Answer =>
  as(answer, text(200, `/**/${callback}(${answer.body.toString()});`, 'application/javascript; charset=utf-8'));

/** Returns the whole body as a 206 answer to Range. */
export const partOf = (answer: Answer): Answer => {
  const body = Buffer.from(answer.body);
  return {
    ...withHeaders(answer, [['Content-Range', `bytes 0-${body.length - 1}/${body.length}`]]),
    status: 206,
    body,
  };
};
