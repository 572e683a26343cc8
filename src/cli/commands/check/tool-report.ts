/** The report of `tenon check` as text: tokens of each tool, then the findings by rule. */
import type { ToolQualityReport } from '../../../agents/quality/check-tools.ts';
import { type FindingLevel, findingLevels, type ToolFinding } from '../../../agents/quality/finding.ts';
import type { Io } from '../../io/io.ts';
import { printable } from '../../output/content.ts';
import { count } from '../../output/count.ts';
import { type Style, styleFor } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { wrapped } from '../../output/wrapped.ts';

/** The server that was checked. */
export interface CheckedServer {
  readonly name?: string;
  readonly version?: string;
}

/** The tools that are shown; `--json` has all. */
const maxShown = 20;
const maxNameChars = 64;

export function shownReport(server: CheckedServer, report: ToolQualityReport, io: Io): string {
  const style = styleFor(io);
  const parts = [
    heading(server, report, io, style),
    costs(report, io, style),
    ...byRule(report.findings, io, style),
    summary(report.findings, style),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function heading(
  { name = 'The server', version = '' }: CheckedServer,
  report: ToolQualityReport,
  io: Io,
  style: Style,
): string {
  const { tokens, budget, instructions, tools } = report;
  const of = budget === undefined ? '' : ` of ${amount(budget)}`;
  const whole = `about ${amount(tokens)}${of} tokens in every request`;
  const with_ = instructions === 0 ? '' : `, ${amount(instructions)} of them instructions`;
  const title = style.title(printable(`${name} ${version}`.trim(), io));
  return `${title}\n${wrapped(`${count(tools.length, 'tool')}, ${whole}${with_}.`, io.columns)}`;
}

function costs({ tools }: ToolQualityReport, io: Io, style: Style): string {
  const sorted = tools.toSorted((one, other) => other.tokens - one.tokens);
  const rows = sorted
    .slice(0, maxShown)
    .map(({ name, tokens }) => [printable(name.slice(0, maxNameChars), io), amount(tokens)]);
  const rest = sorted.slice(maxShown);
  const sum = rest.reduce((all, { tokens }) => all + tokens, 0);
  const more =
    rest.length === 0 ? [] : [style.dim(`and ${count(rest.length, 'more tool')} with ${amount(sum)}: see --json`)];
  return [textTable(rows, io.columns), ...more].join('\n');
}

function byRule(findings: readonly ToolFinding[], io: Io, style: Style): string[] {
  const keys = [...new Set(findings.map(({ level, rule }) => `${level} ${rule}`))];
  return keys.map((key) => {
    const own = findings.filter(({ level, rule }) => `${level} ${rule}` === key);
    const fixes = [...new Set(own.map(({ fix }) => fix))];
    const [level = 'note', rule = ''] = key.split(' ');
    return [
      `${paint[level as FindingLevel](style)(level)} ${style.title(rule)}`,
      ...own.map(({ tool, text }) =>
        wrapped(printable(tool === undefined ? text : `${tool}: ${text}`, io), io.columns, '  ', '    '),
      ),
      ...fixes.map((fix) => style.dim(wrapped(printable(fix, io), io.columns, '  → ', '    '))),
    ].join('\n');
  });
}

const paint: Readonly<Record<FindingLevel, (style: Style) => (text: string) => string>> = {
  error: ({ bad }) => bad,
  warning: ({ title }) => title,
  note: ({ dim }) => dim,
};

function summary(findings: readonly ToolFinding[], style: Style): string {
  if (findings.length === 0) return style.good('Nothing found.');
  return `${findingLevels
    .map((level) => [level, findings.filter((one) => one.level === level).length] as const)
    .filter(([, found]) => found > 0)
    .map(([level, found]) => count(found, level))
    .join(', ')}.`;
}

const amount = (tokens: number): string => tokens.toLocaleString('en-US');
