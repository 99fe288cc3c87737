import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { lazy } from '../../collections.js';
import { asset } from '../../package.js';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Modules of the page's script, each after those that it imports. */
const modules = ['dom', 'data', 'details', 'state', 'rows', 'matrix', 'filter', 'links', 'main'];

/** The modules as one script: their names are unique, so imports and exports can be left out. */
const scriptText = lazy((): string => {
  const parts = modules.map((name) =>
    readFileSync(asset('assets', 'page', `${name}.js`), 'utf8')
      .replace(/^import [^;]*;\n/gm, '')
      .replace(/^export /gm, ''),
  );
  return `(() => {\n${parts.join('\n')}})();\n`;
});

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
  const script = scriptText();
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
