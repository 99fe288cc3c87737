/** File names of a run's reports, in the subfolder `conformance`. */
export const reportNames = {
  results: 'results.json',
  page: 'index.html',
  junit: 'junit.xml',
  sarif: 'results.sarif',
  markdown: 'summary.md',
  badge: 'badge.json',
} as const;

/** Where a long run keeps its exchanges, beside `results.json`. */
export const exchangesName = 'exchanges.jsonl.gz';
