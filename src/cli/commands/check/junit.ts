/** The report of `tenon check` as JUnit XML: a test case for each tool, and one for the server. */
import type { ToolQualityReport } from '../../../agents/quality/check-tools.ts';
import type { ToolFinding } from '../../../agents/quality/finding.ts';
import type { CheckedServer } from './tool-report.ts';

export function junitReport({ name = 'server' }: CheckedServer, { tools, findings }: ToolQualityReport): string {
  const names = [...new Set(tools.map((tool) => tool.name))];
  const cases = [
    testCase(
      name,
      'all tools',
      findings.filter(({ tool }) => tool === undefined),
    ),
    ...names.map((tool) =>
      testCase(
        name,
        tool,
        findings.filter((one) => one.tool === tool),
      ),
    ),
  ];
  const failures = cases.filter(({ isFailed }) => isFailed).length;
  const counts = `tests="${cases.length}" failures="${failures}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(`tenon check ${name}`)}" ${counts} errors="0" skipped="0">`,
    ...cases.map(({ text }) => text),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

/** Errors fail it, the rest is its output. */
function testCase(
  server: string,
  name: string,
  findings: readonly ToolFinding[],
): { readonly text: string; readonly isFailed: boolean } {
  const errors = findings.filter(({ level }) => level === 'error');
  const others = findings.filter(({ level }) => level !== 'error');
  const open = `    <testcase classname="${xml(server)}" name="${xml(name)}" time="0"`;
  if (findings.length === 0) return { text: `${open}/>`, isFailed: false };
  const [first] = errors;
  const inside = [
    ...(first === undefined
      ? []
      : [
          `      <failure type="${first.rule}" message="${xml(first.text)}">${xml(errors.map(line).join('\n'))}</failure>`,
        ]),
    ...(others.length === 0 ? [] : [`      <system-out>${xml(others.map(line).join('\n'))}</system-out>`]),
  ];
  return { text: [`${open}>`, ...inside, '    </testcase>'].join('\n'), isFailed: first !== undefined };
}

const line = ({ level, rule, text, fix }: ToolFinding): string => `${level} ${rule}: ${text} ${fix}`;

/** XML 1.0 has no form for other control characters, nor for half a surrogate pair. */
const notInXml = /(?![\t\n\r])\p{Cc}|\p{Surrogate}|[\ufffe\uffff]/gu;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const xml = (text: string): string =>
  text
    .replace(notInXml, '\ufffd')
    .replace(/[&<>"]/g, (char) => entities[char] ?? char)
    .replaceAll('\n', '&#10;');
