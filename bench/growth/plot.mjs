/** Draws slopes as SVG: a panel for each kind of size, the cost beside that at the smallest size, in light or dark colours. */
import { maxGrowth } from './slopes.mjs';

const themes = {
  light: { back: '#ffffff', text: '#1f2328', faint: '#656d76', grid: '#d8dee4', limit: '#cf222e' },
  dark: { back: '#0d1117', text: '#e6edf3', faint: '#9198a1', grid: '#30363d', limit: '#ff7b72' },
};
const lines = {
  light: ['#0969da', '#8250df', '#1a7f37', '#9a6700'],
  dark: ['#58a6ff', '#d2a8ff', '#56d364', '#e3b341'],
};
export const themeNames = Object.keys(themes);

const columns = 3;
const panel = { width: 300, height: 210, left: 44, right: 14, top: 34, bottom: 46 };
const plotWidth = panel.width - panel.left - panel.right;
const plotHeight = panel.height - panel.top - panel.bottom;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const rounded = (number) => Number(number.toFixed(1));
const text = (x, y, fill, content, more = '') =>
  `<text x="${rounded(x)}" y="${rounded(y)}" fill="${fill}"${more}>${escaped(content)}</text>`;
const line = (x1, y1, x2, y2, stroke, more = '') =>
  `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" stroke="${stroke}"${more}/>`;

/** `results` are those of `growth.mjs`: `{ group, series, points }`. Those of one group share a panel. */
export function plot(results, theme) {
  const groups = [...new Set(results.map(({ group }) => group))];
  const rows = Math.ceil(groups.length / columns);
  const [width, height] = [columns * panel.width, rows * panel.height];
  const colours = { ...themes[theme], lines: lines[theme] };
  const panels = groups.map((group, n) => {
    const at = `translate(${(n % columns) * panel.width} ${Math.floor(n / columns) * panel.height})`;
    const own = results.filter((result) => result.group === group);
    return `<g transform="${at}">\n${drawPanel(group, own, colours).join('\n')}\n</g>`;
  });
  const title = 'Processor time of a call against sizes, beside that at the smallest size';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="${colours.back}"/>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function drawPanel(group, results, colours) {
  const sizes = results[0].points.map(({ size }) => size);
  const highest = Math.max(1.5, ...results.flatMap(({ points }) => points.map(({ ratio }) => ratio))) * 1.05;
  const [first, last] = [sizes[0], sizes.at(-1)].map(Math.log);
  const x = (size) => panel.left + ((Math.log(size) - first) / (last - first)) * plotWidth;
  const y = (ratio) => panel.top + plotHeight * (1 - ratio / highest);
  const right = panel.width - panel.right;
  return [
    text(panel.left, 18, colours.text, group, ' font-size="13" font-weight="600"'),
    ...ticksUpTo(highest).flatMap((ratio) => [
      line(panel.left, y(ratio), right, y(ratio), colours.grid),
      text(panel.left - 6, y(ratio) + 4, colours.faint, String(ratio), ' text-anchor="end"'),
    ]),
    line(panel.left, y(maxGrowth), right, y(maxGrowth), colours.limit, ' stroke-dasharray="4 3"'),
    ...sizes.map((size, n) => {
      const anchor = n === 0 ? 'start' : n === sizes.length - 1 ? 'end' : 'middle';
      const label = size.toLocaleString('en-US');
      return text(x(size), panel.top + plotHeight + 16, colours.faint, label, ` text-anchor="${anchor}"`);
    }),
    ...results.flatMap(({ series, points }, n) => drawSeries(series, points, n, colours.lines[n % 4], x, y)),
  ];
}

function drawSeries(series, points, place, colour, x, y) {
  const path = points.map(({ size, ratio }) => `${rounded(x(size))},${rounded(y(ratio))}`).join(' ');
  const dots = points.map(
    ({ size, ratio }) => `<circle cx="${rounded(x(size))}" cy="${rounded(y(ratio))}" r="3" fill="${colour}"/>`,
  );
  const legend = text(panel.left + (place * plotWidth) / 4, panel.height - 10, colour, series ?? '');
  return [`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`, ...dots, legend];
}

/** A few round numbers from 0 on. */
function ticksUpTo(highest) {
  const step = [0.5, 1, 2, 5, 10, 20, 50, 100].find((one) => highest / one <= 5) ?? highest / 4;
  return Array.from({ length: Math.floor(highest / step) + 1 }, (_, n) => n * step);
}
