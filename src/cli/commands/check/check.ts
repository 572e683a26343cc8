/** `tenon check`: what the tools of a server cost a model, and what models will trip over. */

import { checkTools, ruleNames, type ToolQualityReport, unknownRule } from '../../../agents/quality/check-tools.ts';
import { callExamples, defaultResultBudget } from '../../../agents/quality/example-calls.ts';
import type { Client } from '../../../client/api/client.ts';
import { leftOutOf } from '../../../client/api/listing.ts';
import { readSnapshot } from '../../../contract/snapshot.ts';
import { readTextFile } from '../../input/read-file.ts';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import type { Given } from '../../io/given.ts';
import { withSpinner } from '../../output/progress.ts';
import { isModule } from '../../target/module-target.ts';
import { withClient } from '../../target/open-client.ts';
import { unknownName, usageError } from '../../usage-error.ts';
import { checkExampleNames, readExamples } from './examples-file.ts';
import { junitReport } from './junit.ts';
import { sarifReport } from './sarif.ts';
import { type CheckedServer, shownReport } from './tool-report.ts';

export const run: RunCommand = async (given) => {
  const format = given.text('format');
  if (format !== undefined && given.isJson)
    throw usageError('--json and --format exclude each other.', 'Write one of them.');
  const unknown = unknownRule(given.texts('ignore'));
  if (unknown !== undefined) throw unknownName('rule', unknown, ruleNames, `There are ${ruleNames.join(', ')}.`);
  const { server, report } = await checked(given);
  const exit = report.findings.some(({ level }) => level === 'error') ? 1 : 0;
  const text = textOf(format, server, report, given);
  return { result: { server, ...report }, text, exit } satisfies CommandResult;
};

function textOf(format: string | undefined, server: CheckedServer, report: ToolQualityReport, given: Given): string {
  if (format === 'junit') return junitReport(server, report);
  if (format === 'sarif') return sarifReport(report, fileOf(given));
  return shownReport(server, report, given.io);
}

/** Where findings are shown in a file: that of the server, if the target is one. */
const fileOf = ({ target }: Given): string | undefined =>
  target !== undefined && (isModule(target) || isSnapshot(target)) ? target : undefined;

const isSnapshot = (typed: string): boolean => typed.endsWith('.json') && !/^https?:/i.test(typed);

interface Checked {
  readonly server: CheckedServer;
  readonly report: ToolQualityReport;
}

async function checked(given: Given): Promise<Checked> {
  const { target, io } = given;
  if (given.client !== undefined || target === undefined || !isSnapshot(target))
    return withClient(given, (client) => ofClient(client, given));
  if (given.text('examples') !== undefined)
    throw usageError('--examples needs a server that can be called.', 'Name the server instead of its snapshot.');
  const stored = readSnapshot(await readTextFile(target, io, 'Write it with tenon info TARGET --snapshot FILE.'));
  const { serverInfo, tools, instructions } = stored;
  return {
    server: { ...serverInfo },
    report: checkTools(tools, { ...limitsOf(given), server: serverInfo?.name, instructions }),
  };
}

async function ofClient(client: Client, given: Given): Promise<Checked> {
  const { serverInfo, instructions, capabilities } = client;
  const file = given.text('examples');
  const examples = file === undefined ? undefined : await readExamples(file, given.io);
  const { name, version } = serverInfo ?? {};
  const tools = capabilities.tools === undefined ? [] : await client.tools.list().all();
  const called =
    examples &&
    (checkExampleNames(examples, tools),
    await withSpinner(given.io, 'examples', () =>
      callExamples(
        examples,
        (tool, args) => client.tools.call(tool, { ...args }, { signal: given.io.signal }),
        given.count('result-budget') ?? defaultResultBudget,
      ),
    ));
  const report = checkTools(tools, {
    ...limitsOf(given),
    server: name,
    instructions,
    leftOut: leftOutOf(tools),
    called,
  });
  return { server: { ...(name !== undefined && { name }), ...(version !== undefined && { version }) }, report };
}

const limitsOf = (given: Given): { readonly budget: number | undefined; readonly ignore: readonly string[] } => ({
  budget: given.count('budget'),
  ignore: given.texts('ignore'),
});
