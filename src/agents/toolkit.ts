/** Creates a toolkit: the tools of a host or a client for a model, and the calls that the model makes. */
import type { Client } from '../client/api/client.ts';
import type { Host } from '../host/api.ts';
import type { HostTool } from '../host/lists/lists.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { readOptions } from '../lib/options/read-options.ts';
import { nearestName } from '../lib/text/nearest-name.ts';
import { isRecord } from '../lib/values/is.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import type { AgentCallOptions, ToolCall, Toolkit, ToolkitEvent, ToolOutcome } from './api.ts';
import { createArgumentCheck, readArguments } from './calls/arguments.ts';
import { createCallOrder } from './calls/call-order.ts';
import { createJoinedReads } from './calls/joined-reads.ts';
import { failed, type ResultFitting, resultOutcome } from './calls/outcome.ts';
import { type CallPorts, runCall } from './calls/run-call.ts';
import { Catalogue } from './catalogue.ts';
import { errorText } from './error-text.ts';
import { toolkitOptions } from './options.table.ts';
import type { ToolkitOptions } from './options.ts';
import { clientSource } from './source/client-source.ts';
import { hostSource } from './source/host-source.ts';
import type { ToolSource } from './source/tool-source.ts';
import { TurnList } from './turns.ts';

/**
 * Makes the tools of a host, or of one client, usable by a model. Pass the toolkit to `toAnthropic`, `toOpenAI` and the
 * others, or use it directly.
 *
 * @example
 * ```ts
 * const kit = createToolkit(host);
 * const { tools } = await kit.list('anthropic');
 * const [outcome] = await kit.callAll([{ id: 'call-1', name: 'files__read', arguments: { path: 'notes.txt' } }]);
 * ```
 */
export function createToolkit(source: Host | Client, options: ToolkitOptions = {}): Toolkit {
  const settings = readOptions('createToolkit()', toolkitOptions, options);
  const tools = sourceOf(source);
  const emit = (event: ToolkitEvent): void => runSafely(() => settings.onEvent?.(event));
  const catalogue = new Catalogue(tools, settings.filter, () => Date.now());
  const turns = new TurnList(catalogue, () => tools.instructions(), emit);
  const { order, maxConcurrent, trustedServers, timeoutMs } = settings.calls;
  const closing = new AbortController();
  const id = settings.id ?? crypto.randomUUID();
  const ports: CallPorts = {
    id,
    source: tools,
    order: createCallOrder(maxConcurrent, order === 'parallel'),
    joined: createJoinedReads(),
    trusted: new Set(trustedServers),
    timeoutMs,
    emit,
  };
  const run = createRunner({ ports, catalogue, results: settings.results, closed: closing.signal });
  const close = async (): Promise<void> => {
    closing.abort(new TenonError('connection-closed', 'The toolkit is closed.'));
    await catalogue.close();
  };
  const call = async (one: ToolCall, callOptions: AgentCallOptions = {}): Promise<ToolOutcome> => {
    checkCall(one);
    const outcome = await run(one, callOptions);
    if (outcome.type === 'result') emit({ type: 'outcome', callId: one.id, name: one.name, isError: outcome.isError });
    return outcome;
  };
  return {
    id,
    list: (target = 'any') => turns.list(target),
    call,
    callAll: (calls, callOptions) => Promise.all(calls.map((one) => call(one, callOptions))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function sourceOf(source: Host | Client): ToolSource {
  const given: unknown = source;
  if (!isRecord(given) || !isRecord(given.tools))
    throw wrong('createToolkit()', 'source', 'be what createHost() or connect() returns');
  return 'addServer' in source ? hostSource(source) : clientSource(source);
}

/** What a program passes wrong is an error of the program, not an outcome for the model. */
function checkCall(call: ToolCall): void {
  const given: unknown = call;
  if (!isRecord(given) || typeof given.id !== 'string' || typeof given.name !== 'string')
    throw wrong('call()', 'call', "be an object such as { id: 'call-1', name: 'files__read', arguments: {} }");
}

interface RunnerPorts {
  readonly ports: CallPorts;
  readonly catalogue: Catalogue;
  readonly results: { readonly maxChars: number; readonly maxMediaBytes: number };
  readonly closed: AbortSignal;
}

type Runner = (call: ToolCall, options: AgentCallOptions) => Promise<ToolOutcome>;

function createRunner({ ports, catalogue, results, closed }: RunnerPorts): Runner {
  const checks = createArgumentCheck();
  return async (call, { signal, media }) => {
    signal?.throwIfAborted();
    const read = readArguments(call.arguments);
    const { tools } = await catalogue.tools();
    const tool = tools.get(call.name);
    ports.emit({ type: 'call', callId: call.id, name: call.name, ...(tool && { server: tool.server }) });
    if (tool === undefined) return failed(call.id, unknownTool(call.name, [...tools.keys()]));
    if ('problem' in read) return failed(call.id, read.problem);
    const checked = await checks.check(tool.inputSchema, read.args);
    if ('problem' in checked) return failed(call.id, wrongArguments(tool, checked.problem));
    const signals = [closed, ...(signal === undefined ? [] : [signal])];
    const fitting: ResultFitting = {
      media,
      maxMediaBytes: results.maxMediaBytes,
      shorten: (text) => cut(text, results.maxChars),
    };
    try {
      const result = await runCall(ports, tool, call, checked.args, AbortSignal.any(signals));
      return await resultOutcome(call.id, result, fitting);
    } catch (error) {
      signal?.throwIfAborted();
      return failed(call.id, errorText(error, tool.name, tool.server));
    }
  };
}

const cut = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text;
  const head = Math.floor(maxChars * 0.75);
  const tail = maxChars - head;
  return `${text.slice(0, head)}\n[${text.length - maxChars} of ${text.length} characters left out]\n${text.slice(-tail)}`;
};

const wrongArguments = (tool: HostTool, problem: string): string =>
  `The arguments of ${tool.name} do not match its schema: ${problem}. Nothing ran. Correct them and call it again.`;

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
