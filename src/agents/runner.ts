/** Runs the calls of a model: those of its own tools here, the others on their servers. Failures are outcomes. */
import type { HostTool } from '../host/lists/lists.ts';
import { nearestName } from '../lib/text/nearest-name.ts';
import { isRecord } from '../lib/values/is.ts';
import type { AgentCallOptions, ToolCall, ToolOutcome } from './api.ts';
import { createArgumentCheck, readArguments } from './calls/arguments.ts';
import { failed, resultOutcome, textOutcome } from './calls/outcome.ts';
import { type CallPorts, runCall } from './calls/run-call.ts';
import type { Catalogue } from './catalogue.ts';
import { callToolName, findToolsName, readMoreName } from './context/own-tools.ts';
import type { ToolContext } from './context/tool-context.ts';
import { errorText } from './error-text.ts';
import type { ResultHandles } from './results/handles.ts';
import type { ModelPartsPorts } from './results/model-parts.ts';

export interface RunnerPorts {
  readonly calls: CallPorts;
  readonly catalogue: Catalogue;
  readonly handles: ResultHandles;
  readonly results: Pick<ModelPartsPorts, 'maxChars' | 'maxMediaBytes' | 'resizeImage'>;
  /** Aborted when the toolkit is closed. */
  readonly closed: AbortSignal;
  context(): ToolContext;
}

export type Runner = (call: ToolCall, options: AgentCallOptions) => Promise<ToolOutcome>;

export function createRunner(ports: RunnerPorts): Runner {
  const { calls, catalogue, closed } = ports;
  const checks = createArgumentCheck();

  async function runOnServer(
    tool: HostTool,
    call: ToolCall,
    given: Record<string, unknown>,
    { signal, media }: AgentCallOptions,
  ): Promise<ToolOutcome> {
    const checked = await checks.check(tool.inputSchema, given);
    if ('problem' in checked) return failed(call.id, wrongArguments(tool, checked.problem));
    ports.context().used(tool.name);
    const signals = [closed, ...(signal === undefined ? [] : [signal])];
    try {
      const result = await runCall(calls, tool, call, checked.args, AbortSignal.any(signals));
      const fitting = { ...ports.results, handles: ports.handles, server: tool.server, media };
      return await resultOutcome(call.id, result, fitting);
    } catch (error) {
      signal?.throwIfAborted();
      return failed(call.id, errorText(error, tool.name, tool.server));
    }
  }

  async function find(call: ToolCall, args: Record<string, unknown>): Promise<ToolOutcome> {
    const answer = await ports.context().find(args);
    const query = typeof args.query === 'string' ? args.query : '';
    calls.emit({ type: 'search', query, found: answer.found });
    return textOutcome(call.id, answer);
  }

  return async function run(call, options) {
    options.signal?.throwIfAborted();
    const { tools } = await catalogue.tools();
    const tool = tools.get(call.name);
    calls.emit({ type: 'call', callId: call.id, name: call.name, ...(tool && { server: tool.server }) });
    const read = readArguments(call.arguments);
    if ('problem' in read) return failed(call.id, read.problem);
    if (tool !== undefined) return runOnServer(tool, call, read.args, options);
    if (call.name === findToolsName) return find(call, read.args);
    if (call.name === readMoreName) return textOutcome(call.id, await ports.handles.readMore(read.args));
    if (call.name === callToolName) {
      const { name, arguments: args } = read.args;
      if (typeof name !== 'string' || name === callToolName) return failed(call.id, wrongCallTool);
      return run({ id: call.id, name, arguments: args }, options);
    }
    return failed(call.id, unknownTool(call.name, [...tools.keys()]));
  };
}

const wrongCallTool =
  'call_tool was called without the name of a tool. Write call_tool({ name: "…", arguments: { } }) with a name that find_tools has found.';

/** Characters of a schema in an error. */
const maxSchemaText = 4000;

/** With the schema: the model may have called a tool that it has not seen. */
function wrongArguments({ name, inputSchema }: HostTool, problem: string): string {
  const schema = JSON.stringify(isRecord(inputSchema) ? inputSchema : {});
  const shown = schema.length <= maxSchemaText ? ` The schema: ${schema}` : '';
  return `The arguments of ${name} do not match its schema: ${problem}. Nothing ran. Correct them and call it again.${shown}`;
}

/** Names the tools that were probably meant. */
function unknownTool(name: string, known: readonly string[]): string {
  const rest = [...known];
  const nearest: string[] = [];
  for (let n = 0; n < 3; n++) {
    const found = nearestName(name, rest);
    if (found === undefined) break;
    nearest.push(found);
    rest.splice(rest.indexOf(found), 1);
  }
  const meant = nearest.length > 0 ? ` Did you mean ${nearest.join(', ')}?` : ' Use a name from the list of tools.';
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${meant}`;
}
