/** Files of a run's reports, in the folder `conformance` of the reports folder. */
export const reportNames = {
  results: 'results.json',
  page: 'index.html',
  junit: 'junit.xml',
  markdown: 'summary.md',
  badge: 'badge.json',
} as const;
