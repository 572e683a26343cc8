/** The tools of a server: listed, called and watched. Calls that become tasks are followed. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { ownContent } from '../../protocol/fitting/structured.ts';
import type { CallToolResult, Tool } from '../../protocol/generated/types/records.ts';
import type { CallOptions, Client, ToolCallOptions } from '../api/client.ts';
import type { PaginatedList } from '../api/listing.ts';
import { withDeadline } from '../calls/deadline.ts';
import { watch } from '../changes/watching.ts';
import { type ClientMethodsPorts, type ListSource, listFrom } from './lists.ts';
import { createOutputCheck, type WithinCall } from './output-validation.ts';
import { ToolCalls } from './tasks/tool-calls.ts';

interface ToolMethods {
  readonly tools: Client['tools'];
  /** Calls a tool with the params and the result of the protocol. */
  call(params: Fields, options?: ToolCallOptions): Promise<Fields>;
}

export function createTools(ports: ClientMethodsPorts): ToolMethods {
  const { calls, knownTools, outputs, settings, supervisor, hints, remembered } = ports;
  const source: ListSource<Tool> = {
    method: 'tools/list',
    key: 'tools',
    admit: (tools) => knownTools.listed(tools),
  };
  const list = (options?: CallOptions): PaginatedList<Tool> => listFrom(ports, source, options);
  const listTools = async (options: CallOptions): Promise<void> => {
    await list(options).all();
    knownTools.completed();
  };
  const toolCalls = new ToolCalls({ calls, knownTools, settings, supervisor, hints, remembered, listTools });
  // Output is validated by the current schemas of the server, so the list does not come from the cache.
  const listFresh = (signal: AbortSignal): Promise<Tool[]> => list({ cache: 'reload', signal }).all();
  const check = outputs && createOutputCheck(outputs, listFresh, () => supervisor.lastKnown);
  async function call(name: string, args: Fields = {}, options?: ToolCallOptions): Promise<CallToolResult> {
    const params = { name, arguments: args };
    const begun = check === undefined && options === undefined ? 0 : settings.deadlines.now();
    const outcome = toolCalls.isPlain(options)
      ? await calls.callTool(params, options)
      : await toolCalls.begin(params, options);
    const result =
      outcome.resultType === 'complete' ? outcome.result : await toolCalls.follow(outcome, params, options, begun);
    if (check !== undefined) await check(name, result, withinCall(settings, name, options, begun));
    return ownContent(result) as unknown as CallToolResult;
  }
  const tools: Client['tools'] = {
    list,
    call: call as unknown as Client['tools']['call'],
    watchList: (onChange, options) =>
      watch(ports, { toolsListChanged: true }, (read) => list(read).all(), onChange, options),
  };
  return { tools, call: (params, options) => toolCalls.call(params, options) };
}

/** The list for the output of a call has the time of a call, and what is left of the whole time of this one. */
function withinCall(
  { deadlines, timeoutMs }: ClientMethodsPorts['settings'],
  tool: string,
  options: CallOptions = {},
  begun: number,
): WithinCall {
  const totalMs = (options.maxTotalTimeoutMs ?? Number.POSITIVE_INFINITY) - (deadlines.now() - begun);
  const ms = Math.max(1, Math.min(options.timeoutMs ?? timeoutMs, totalMs));
  return (wait) => withDeadline(deadlines, ms, options.signal, () => notListed(tool, ms), wait);
}

const notListed = (tool: string, ms: number): TenonError =>
  new TenonError(
    'timeout',
    `tools/call ${JSON.stringify(tool)} was answered, but its output could not be checked: the server did not list its tools within ${ms} ms.`,
    {
      hint: 'Raise the option "timeoutMs" of the call, or connect without "jsonSchemaValidator".',
      details: { method: 'tools/list', tool, timeoutMs: ms },
    },
  );
