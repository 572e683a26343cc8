/** The figures of README.md, the front page and docs/performance.md, from docs/figures.json, which `npm run bench` and `npm run conformance` write. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Figure {
  readonly title: string;
  /** By the names of the columns; what is not there was not measured. */
  readonly values: Readonly<Record<string, number>>;
}

interface Measured {
  /** The day of the run. */
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly cores: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly figures: Readonly<Record<string, Figure>>;
}

interface Conformance {
  readonly date: string;
  readonly suite: string;
  readonly passed: number;
  readonly failed: number;
}

export interface Figures {
  readonly bench: Readonly<Record<string, Measured>>;
  readonly conformance: Readonly<Record<string, Conformance>>;
}

export const readFigures = (root: string): Figures =>
  JSON.parse(readFileSync(join(root, 'docs/figures.json'), 'utf8')) as Figures;

const columns = ['Tenon', 'tmcp', 'SDK v1', 'SDK v2', 'fastmcp'] as const;

/** In both tables an empty cell is what is not there, or was not measured. */
const compared = [
  'stdio-small-session',
  'http-call-sessions',
  'http-call-exchange',
  'http-idle-session',
  'start-unbundled',
  'start-bundled',
  'size-stdio',
  'size-stdio-split',
  'client-call-session',
];

/** Rows of the summary, each with its unit, goal, and section of docs/performance.md. */
const summarized: readonly (readonly [id: string, unit: string, goal: string, section: string])[] = [
  ['stdio-small-session', ' %', '80 %', '[stdio](#calls-over-stdio)'],
  ['stdio-small-exchange', ' %', '80 %', '[stdio](#calls-over-stdio)'],
  ['stdio-large-session', ' %', '85 %', '[stdio](#calls-over-stdio)'],
  ['stdio-everything-session', ' %', '55 %', '[stdio](#calls-over-stdio)'],
  ['http-call-exchange', ' %', '88 %', '[HTTP](#requests-over-http)'],
  ['http-call-sessions', ' %', '80 %', '[HTTP](#requests-over-http)'],
  ['http-idle-session', '', '2', '[HTTP](#requests-over-http)'],
  ['client-call-session', ' %', '70 %', '[clients](performance-clients.md#clients-over-http)'],
  ['in-process-call-session', ' %', '', '[in process](performance-clients.md#calls-in-process)'],
  ['start-by-hand', '', '1.15', '[cold start](performance-sizes.md#cold-start)'],
  ['start-unbundled', '', '', '[cold start](performance-sizes.md#cold-start)'],
  ['size-own-code', '', '25', '[sizes](performance-sizes.md#sizes)'],
];

export function figureOf({ bench }: Figures, id: string): Figure {
  const found = Object.values(bench).find(({ figures }) => figures[id] !== undefined)?.figures[id];
  if (found === undefined) throw new Error(`docs/figures.json has no "${id}": run npm run bench`);
  return found;
}

/** The table of README.md. */
export function comparedTable(figures: Figures): string {
  const newest = figureOf(figures, 'stdio-small-exchange');
  const version = newest.title.split(', ').at(-1) ?? '';
  const has = columns.map((column) => (newest.values[column] === undefined ? 'no' : 'yes'));
  const rows = compared.map((id) => {
    const { title, values } = figureOf(figures, id);
    return [title, ...columns.map((column) => String(values[column] ?? '–'))];
  });
  return numbers(['', ...columns], [[`protocol version ${version}`, ...has], ...rows]);
}

/** The days of the runs behind README.md, and what they ran on. */
export function comparedNote({ bench }: Figures): string {
  const topics = Object.entries(bench).filter(([, { figures }]) => compared.some((id) => figures[id] !== undefined));
  const days = [...new Set(topics.map(([, { date }]) => date))].sort();
  const runs = days.map((day) => {
    const named = topics.filter(([, { date }]) => date === day).map(([topic]) => topic);
    return `${named.join(', ')} on ${dayOf(day)}`;
  });
  const machines = topics.map(([, { node, system, cores }]) => `Node ${node.slice(1)}, ${system}, ${cores} cores`);
  const { versions = {} } = topics.at(-1)?.[1] ?? {};
  const sdks = `SDK v1 is ${versions['@modelcontextprotocol/sdk']}, SDK v2 ${versions['@modelcontextprotocol/server']}, tmcp ${versions.tmcp}, fastmcp ${versions.fastmcp}`;
  return `Measured: ${runs.join('; ')}; ${[...new Set(machines)].join('; ')}. ${sdks}.`;
}

const dayOf = (date: string): string =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** The table of docs/performance.md. */
export function summaryTable(figures: Figures): string {
  const rows = summarized.map(([id, unit, goal, section]) => {
    const { title, values } = figureOf(figures, id);
    const cells = columns.map((column) => (values[column] === undefined ? '' : `${values[column]}${unit}`));
    return [title, ...cells, goal, section];
  });
  return numbers(['', ...columns, 'goal', 'section'], rows, 1);
}

/** The table of docs/comparison.md: each figure with the command that measures it again. */
export function commandTable(figures: Figures): string {
  const rows = compared.map((id) => {
    const { title, values } = figureOf(figures, id);
    const topic = Object.entries(figures.bench).find(([, measured]) => measured.figures[id] !== undefined)?.[0];
    return [title, ...columns.map((column) => String(values[column] ?? '–')), `\`npm run bench -- ${topic}\``];
  });
  return numbers(['', ...columns, 'command'], rows, 1);
}

/** The line of README.md about speed. */
export function speedLine(figures: Figures): string {
  const { values } = figureOf(figures, 'stdio-small-session');
  const { Tenon: own, ...others } = values;
  return `- **Fast**: a small call over stdio reaches ${own} % of the speed of a hand-written loop, by processor time; the next best library reaches ${Math.max(...Object.values(others))} % ([measured](#compared-with-others)).`;
}

/** The line of README.md about conformance. */
export function conformanceLine(figures: Figures): string {
  const { passed, all } = scenariosOf(figures);
  const { gateway, ...own } = figures.conformance;
  const sides = Object.entries(own).map(([side, { date, suite }]) => `${side} ${suite}, ${dayOf(date)}`);
  const through =
    gateway === undefined
      ? ''
      : ` Through gateways, to each lifecycle over HTTP and stdio, ${gateway.passed} of ${gateway.passed + gateway.failed}: \`npm run conformance -- gateway\`.`;
  return `- **Conforms**: ${passed} of ${all} scenarios of the official suite pass (${sides.join('; ')}): \`npm run conformance\`.${through}`;
}

/** Those that are run once: what passes through gateways is the same again. */
function scenariosOf({ conformance }: Figures): { readonly passed: number; readonly all: number } {
  const { gateway: _, ...own } = conformance;
  const suites = Object.values(own);
  const passed = suites.reduce((sum, each) => sum + each.passed, 0);
  return { passed, all: suites.reduce((sum, { failed }) => sum + failed, passed) };
}

/** A figure of the front page, and the page that says how it is measured. */
export interface ShownFigure {
  readonly value: string;
  readonly about: string;
  readonly link: string;
}

export function figuresOfFrontPage(figures: Figures): readonly ShownFigure[] {
  const best = ({ values }: Figure): number =>
    Math.max(...Object.entries(values).flatMap(([column, value]) => (column === 'Tenon' ? [] : [value])));
  const share = (id: string, about: string, section: string): ShownFigure => {
    const figure = figureOf(figures, id);
    return {
      value: `${figure.values.Tenon} %`,
      about: `of the speed of ${about}; the next best library reaches ${best(figure)} %`,
      link: `./performance.md#${section}`,
    };
  };
  const { passed, all } = scenariosOf(figures);
  return [
    share('stdio-small-session', 'a hand-written loop, for a small call over stdio', 'calls-over-stdio'),
    share('http-call-exchange', 'bare `node:http`, for a call over HTTP', 'requests-over-http'),
    ...(all === 0
      ? []
      : [
          {
            value: `${passed} of ${all}`,
            about: 'scenarios of the official conformance suite pass',
            link: './repository/contributing.md',
          },
        ]),
  ];
}

/** A table in the style of the formatter; numbers are at the right, but for the last `texts` columns. */
function numbers(head: readonly string[], rows: readonly (readonly string[])[], texts = 0): string {
  const widths = head.map((title, n) => Math.max(3, title.length, ...rows.map((row) => row[n]?.length ?? 0)));
  const isText = (n: number): boolean => n === 0 || n >= head.length - texts;
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, n) => (isText(n) ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, n) => (isText(n) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** The page with the first table below the heading replaced. */
export function withTable(markdown: string, heading: string, table: string): string {
  const start = markdown.indexOf(`\n## ${heading}\n`);
  const found = start === -1 ? null : /^\|.*\n(?:\|.*\n)+/m.exec(markdown.slice(start));
  if (found === null) throw new Error(`there is no table below the heading "${heading}"`);
  const at = start + found.index;
  return `${markdown.slice(0, at)}${table}\n${markdown.slice(at + found[0].length)}`;
}

/** The page with the line replaced that begins so. */
export function withLine(markdown: string, beginning: string, line: string): string {
  const lines = markdown.split('\n');
  const at = lines.findIndex((each) => each.startsWith(beginning));
  if (at === -1) throw new Error(`no line begins with "${beginning}"`);
  return lines.with(at, line).join('\n');
}
