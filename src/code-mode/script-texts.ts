/** What a model reads of scripts: how to write one, what it returned, and why it ended. */
import type { ToolOutcome } from '../agents/api.ts';
import { failed, textOutcome } from '../agents/calls/outcome.ts';
import { endOfHead } from '../agents/results/cut.ts';
import { messageWithoutHint } from '../lib/errors/tenon-error.ts';
import type { ScriptEnd } from './script-run.ts';

export const runCodeSchema = {
  type: 'object',
  properties: { script: { type: 'string', description: 'The body of an async function, in JavaScript without types' } },
  required: ['script'],
  additionalProperties: false,
} as const;

const howTo =
  'Runs a script that calls tools, and answers with what it returns. Use it to call several tools in one step, and to ' +
  'select from long results: you get only what the script returns, and what it logs with console.log. The script is ' +
  'the body of an async function in JavaScript: use await and return. Await every call. A call that fails throws a ' +
  'ToolError whose message says why. There is nothing but these tools: no network, files, timers, modules or clock. ' +
  'Calls are not undone if the script fails later.';

/** With the declarations, or with the advice to find them. */
export const descriptionOf = (api: string | undefined): string =>
  api === undefined
    ? `${howTo} The tools are members of tools, such as tools.server__name({ }). Get their declarations by find_tools before you use them.`
    : `${howTo} The tools, as TypeScript:\n\n${api}`;

export interface ScriptReport {
  readonly called: readonly string[];
  readonly logs: readonly string[];
}

export function outcomeOf(
  callId: string,
  end: ScriptEnd,
  { called, logs }: ScriptReport,
  maxChars: number,
): ToolOutcome {
  const logged = logs.length === 0 ? '' : `\n\nIt logged:\n${logs.join('\n')}`;
  if (end.type === 'returned') {
    const { json, chars } = end;
    const shown = endOfHead(json, Math.min(json.length, maxChars));
    const cut = chars <= shown ? '' : `\n[${chars - shown} of ${chars} characters left out. Return less.]`;
    return textOutcome(callId, { isError: false, text: `${json.slice(0, shown)}${cut}${logged}` });
  }
  const why =
    end.type === 'thrown'
      ? `The script failed: ${end.text}`
      : `The script was ended (${end.error.code}): ${messageWithoutHint(end.error)}`;
  return failed(callId, `${why}\n${calledText(called)}${logged}`);
}

/** Names of an error. */
const maxNames = 10;

/** Their effects are there: a model must not simply run the script again. */
function calledText(called: readonly string[]): string {
  if (called.length === 0) return 'It had made no call.';
  const counts = new Map<string, number>();
  for (const name of called) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts]
    .slice(0, maxNames)
    .map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  const more = counts.size > maxNames ? ', and others' : '';
  return `Before that it had called ${names.join(', ')}${more}, which is not undone.`;
}

export const wrongScript =
  'run_code was called without a script. Write run_code({ script: "return await tools.server__name({ })" }).';

export const tooManyScripts = (count: number): string =>
  `run_code was not run (queue-full): ${count} scripts run at the same time. Run one after another.`;

export const tooLongScript = (chars: number, max: number): string =>
  `run_code was not run (script-limit-exceeded): the script has ${chars} characters, over the limit of ${max}.`;

export const closedToolkit = 'run_code was not run: the code toolkit is closed.';

export const lostScript =
  'The script was not continued: it is not suspended any more. Its calls are not undone. Run it again if you still need it.';
