import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { asset } from '../../package.js';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export interface HtmlDocument {
  readonly start: string;
  readonly end: string;
}

/**
 * The HTML before and after a page's content. Stylesheet and script are inline. A policy allows
 * them by hash and nothing else, so a page needs no network, and nothing that a server sent can
 * run.
 */
export const htmlDocument = (title: string): HtmlDocument => {
  const style = readFileSync(asset('assets', 'page.css'), 'utf8');
  const script = readFileSync(asset('assets', 'page.js'), 'utf8');
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  return {
    start: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
`,
    end: `<script>${script}</script>
</body>
</html>
`,
  };
};
