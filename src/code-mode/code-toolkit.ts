/** Creates a toolkit whose model calls tools by scripts: each call of a script is one of the toolkit that it is made of. */
import { createRequire } from 'node:module';
import type { AgentCallOptions, AgentListOptions, AgentTool, ToolCall, Toolkit, ToolOutcome } from '../agents/api.ts';
import { readArguments } from '../agents/calls/arguments.ts';
import { failed } from '../agents/calls/outcome.ts';
import { findToolsName, runCodeName } from '../agents/context/own-tools.ts';
import type { SchemaTarget } from '../agents/schemas/report.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { has, wrong } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { isRecord } from '../lib/values/is.ts';
import { apiText } from './api-text.ts';
import { createCodeTurns } from './code-turns.ts';
import { codeToolkitOptions } from './options.table.ts';
import type { CodeToolkitOptions } from './options.ts';
import { wrongScript } from './script-texts.ts';
import { Scripts } from './scripts.ts';

/**
 * Gives the model `run_code` in place of the tools of a toolkit: a script calls them, under the same rules as the model
 * would. The result is a toolkit for `toAnthropic`, `toOpenAI` and the others. It needs the package `quickjs-emscripten`.
 *
 * @example
 * ```ts
 * const kit = createToolkit(host);
 * const code = createCodeToolkit(kit);
 * const tools = await toAnthropic(code);
 * ```
 */
export function createCodeToolkit(kit: Toolkit, options: CodeToolkitOptions = {}): Toolkit {
  if (!has(kit, 'list') || !has(kit, 'call'))
    throw wrong('createCodeToolkit()', 'kit', 'be what createToolkit() returns');
  const { tools: isForScripts = () => true, limits } = readOptions('createCodeToolkit()', codeToolkitOptions, options);
  const scripts = new Scripts(kit, findEngine(), limits);
  const turns = createCodeTurns(kit, isForScripts, limits.maxApiChars);

  async function runCode(call: ToolCall, callOptions: AgentCallOptions): Promise<ToolOutcome> {
    const read = readArguments(call.arguments);
    if ('problem' in read) return failed(call.id, read.problem);
    const { script } = read.args;
    if (typeof script !== 'string') return failed(call.id, wrongScript);
    const tools = await turns.tools();
    const structured = new Set(tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name));
    callOptions.signal?.throwIfAborted();
    return scripts.run(call, script, { names: tools.map(({ name }) => name), structured }, callOptions);
  }

  const call = async (one: ToolCall, callOptions: AgentCallOptions = {}): Promise<ToolOutcome> => {
    const given: unknown = one;
    if (isRecord(given) && given.name === runCodeName && typeof given.id === 'string') return runCode(one, callOptions);
    const outcome = await kit.call(one, callOptions);
    return one.name === findToolsName ? withDeclarations(outcome) : outcome;
  };

  /** What a script can call is declared. The rest is named, as by the toolkit. */
  async function withDeclarations(outcome: ToolOutcome): Promise<ToolOutcome> {
    if (outcome.type === 'interrupt' || outcome.found === undefined) return outcome;
    const known = new Map((await turns.tools()).map((tool) => [tool.name, tool]));
    const declared = outcome.found.flatMap((name) => known.get(name) ?? []);
    const found = outcome.found.filter((name) => !known.has(name));
    if (declared.length === 0) return outcome;
    const others = found.length === 0 ? '' : `\n\nCall these directly: ${found.join(', ')}.`;
    const text = `${declarationsWithin(declared, limits.maxApiChars)}${others}`;
    const { found: _found, ...rest } = outcome;
    return { ...rest, parts: [{ type: 'text', text }], text, ...(found.length > 0 && { found }) };
  }

  const close = async (): Promise<void> => scripts.close();
  return {
    id: kit.id,
    list: (target: SchemaTarget = 'any', listOptions?: AgentListOptions) => turns.list(target, listOptions),
    search: (query, limit) => kit.search(query, limit),
    call,
    callAll: (calls, callOptions) => Promise.all(calls.map((one) => call(one, callOptions))),
    async resume(interrupt, answer, callOptions = {}) {
      callOptions.signal?.throwIfAborted();
      const names = new Set((await turns.tools()).map(({ name }) => name));
      return isOfScript(interrupt, names)
        ? scripts.resume(interrupt, answer, callOptions)
        : kit.resume(interrupt, answer, callOptions);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The calls of a script have the ID of its own call, and their number. */
function isOfScript(interrupt: unknown, scripted: ReadonlySet<string>): boolean {
  const call = isRecord(interrupt) ? interrupt.call : undefined;
  return isRecord(call) && scripted.has(String(call.name)) && /\/\d+$/.test(String(call.id));
}

/** As many as there is room for; one at least. */
function declarationsWithin(tools: readonly AgentTool[], maxChars: number): string {
  for (let count = tools.length; count > 1; count--) {
    const text = apiText(tools.slice(0, count));
    const rest = tools.slice(count).map(({ name }) => name);
    if (text.length <= maxChars)
      return rest.length === 0 ? text : `${text}\nAlso: ${rest.join(', ')}. Pass one of them in names to see it.`;
  }
  return apiText(tools.slice(0, 1));
}

/** The path of the engine, which only threads load. Throws `missing-package`. */
function findEngine(): string {
  try {
    return createRequire(import.meta.url).resolve('quickjs-emscripten');
  } catch (cause) {
    const text = 'createCodeToolkit() needs the package quickjs-emscripten, which is not installed beside tenon.';
    throw new TenonError('missing-package', text, {
      hint: 'Run npm install quickjs-emscripten in your project.',
      cause,
    });
  }
}
