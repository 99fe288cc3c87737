/** Draws shares against a logarithmic axis, as SVG that reads on light and dark pages. */

export interface Point {
  readonly x: number;
  /** From 0 to 1. */
  readonly y: number;
}

export interface Curve {
  readonly series: readonly { readonly name: string; readonly points: readonly Point[] }[];
  /** Single points beside the lines, each of a series. */
  readonly marks: readonly (Point & { readonly name: string; readonly series: number })[];
}

const [width, height] = [820, 400];
const [left, right, top, bottom] = [56, 310, 20, 48];
const colours = ['#1f6feb', '#8250df', '#1a7f37', '#bc4c00'];
const ticks = [3, 5, 10, 20, 50, 100, 200];

const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const rounded = (value: number): string => value.toFixed(1);

export const curveOf = ({ series, marks }: Curve): string => {
  const all = [...series.flatMap(({ points }) => points), ...marks].map(({ x }) => x);
  const [least, most] = [Math.log(Math.min(...all) * 0.9), Math.log(Math.max(...all) * 1.1)];
  const across = (x: number): string =>
    rounded(left + ((Math.log(x) - least) / (most - least)) * (width - left - right));
  const down = (y: number): string => rounded(top + (1 - y) * (height - top - bottom));
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (y) =>
      `<line x1="${left}" y1="${down(y)}" x2="${width - right}" y2="${down(y)}" stroke="#8c959f" stroke-opacity="0.4"/><text x="${left - 8}" y="${Number(down(y)) + 4}" text-anchor="end">${100 * y} %</text>`,
  );
  const axis = ticks
    .filter((x) => Math.log(x) >= least && Math.log(x) <= most)
    .map((x) => `<text x="${across(x)}" y="${height - bottom + 18}" text-anchor="middle">${x}</text>`);
  const lines = series.map(({ points }, index) => {
    const path = [...points]
      .sort((a, b) => a.x - b.x)
      .map(({ x, y }) => `${across(x)},${down(y)}`)
      .join(' ');
    return `<polyline points="${path}" fill="none" stroke="${colours[index]}" stroke-width="2"/>`;
  });
  const names = series.map(
    ({ name }, index) =>
      `<rect x="${width - right + 16}" y="${top + 24 * index}" width="12" height="12" fill="${colours[index]}"/><text x="${width - right + 34}" y="${top + 10 + 24 * index}">${text(name)}</text>`,
  );
  const dots = marks.map(
    ({ name, series: of, x, y }) =>
      `<circle cx="${across(x)}" cy="${down(y)}" r="5" fill="${colours[of]}" stroke="#ffffff"><title>${text(name)}: ${rounded(100 * y)} %</title></circle>`,
  );
  const labels = [...new Map(marks.map((mark) => [mark.name, mark.x])).entries()].map(
    ([name, x]) =>
      `<line x1="${across(x)}" y1="${top}" x2="${across(x)}" y2="${height - bottom}" stroke="#8c959f" stroke-dasharray="4 4"/><text x="${Number(across(x)) + 5}" y="${height - bottom - 6}">${text(name)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#6e7781" role="img" aria-label="Share of seeded faults that are caught, against requests an operation">
${[...grid, ...axis, ...labels, ...lines, ...dots, ...names].join('\n')}
<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">requests an operation</text>
</svg>
`;
};
