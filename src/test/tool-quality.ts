/** `expectToolQuality`: fails a test if the tools of a server cost too much, or models will trip over them. */

import { checkTools, ruleNames, type ToolQualityReport, unknownRule } from '../agents/quality/check-tools.ts';
import { type CalledExamples, callExamples } from '../agents/quality/example-calls.ts';
import { findingLevels, type ToolFinding } from '../agents/quality/finding.ts';
import type { Client } from '../client/api/client.ts';
import { leftOutOf } from '../client/api/listing.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { checkOptions, has, wrong } from '../lib/options/option-rules.ts';
import { nameHint } from '../lib/text/nearest-name.ts';
import { serverExpected } from '../ports/official-server.ts';
import { createTestConnection, type ServerLike } from './every-revision.ts';
import { toolQualityOptions } from './options.table.ts';
import type { ToolQualityOptions } from './options.ts';

const caller = 'expectToolQuality()';

/** Findings that the message of the error names. */
const maxNamed = 20;

/**
 * Checks the tools of a server as `tenon check` does. Rejects with `tool-quality` if there is a finding of level `error`, such as
 * more tokens than the budget; `details.findings` has all findings.
 *
 * @example
 * ```ts
 * const { tokens } = await expectToolQuality(server, { budget: 2000 });
 * ```
 */
export async function expectToolQuality(
  server: ServerLike | Client,
  options: ToolQualityOptions = {},
): Promise<ToolQualityReport> {
  checkOptions(caller, options, toolQualityOptions);
  checkIgnored(options.ignore ?? []);
  const report = await reportOf(server, options);
  const { failOn = toolQualityOptions.failOn.default } = options;
  const worst = findingLevels.indexOf(failOn);
  const failed = report.findings.filter(({ level }) => findingLevels.indexOf(level) <= worst);
  if (failed.length > 0) throw poor(failed, report);
  return report;
}

function checkIgnored(ignore: readonly string[]): void {
  const rule = unknownRule(ignore);
  if (rule === undefined) return;
  throw new TenonError('invalid-argument', `${caller}: ignore has ${JSON.stringify(rule)}, which is not a rule.`, {
    hint: nameHint(rule, ruleNames),
  });
}

async function reportOf(server: ServerLike | Client, options: ToolQualityOptions): Promise<ToolQualityReport> {
  if ('tools' in server && has(server.tools, 'list')) return ofClient(server as Client, options);
  if (!has(server, 'accept')) throw wrong(caller, 'server', serverExpected(server, ', or a client'));
  const { client, close } = await createTestConnection(server as ServerLike);
  try {
    return await ofClient(client as Client, options);
  } finally {
    await close();
  }
}

async function ofClient(client: Client, options: ToolQualityOptions): Promise<ToolQualityReport> {
  const { examples, resultBudget = toolQualityOptions.resultBudget.default, budget, ignore } = options;
  await client.connection.ready();
  const { serverInfo, instructions, capabilities } = client;
  const tools = capabilities.tools === undefined ? [] : await client.tools.list().all();
  const called: CalledExamples | undefined =
    examples && (await callExamples(examples, (name, args) => client.tools.call(name, { ...args }), resultBudget));
  return checkTools(tools, {
    server: serverInfo?.name,
    instructions,
    budget,
    ignore,
    leftOut: leftOutOf(tools),
    called,
  });
}

function poor(failed: readonly ToolFinding[], report: ToolQualityReport): TenonError {
  const lines = failed
    .slice(0, maxNamed)
    .map(({ level, rule, tool, text }) => `\n  ${level} ${rule}${tool === undefined ? '' : ` ${tool}`}: ${text}`);
  const more = failed.length > maxNamed ? `\n  and ${failed.length - maxNamed} more` : '';
  return new TenonError('tool-quality', `Models will trip over the tools of this server:${lines.join('')}${more}`, {
    hint: `${failed[0]?.fix ?? ''} A rule that you do not want goes into ignore.`,
    details: { findings: report.findings, tokens: report.tokens },
  });
}
