/** Creates a toolkit: the tools of a host or a client for a model, and the calls that the model makes. */
import type { Client } from '../client/api/client.ts';
import type { Host } from '../host/api.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { wrong } from '../lib/options/option-rules.ts';
import { type Filled, readOptions } from '../lib/options/read-options.ts';
import { isRecord } from '../lib/values/is.ts';
import { runSafely } from '../lib/values/run-safely.ts';
import { memoryResults } from '../store/parts/memory-results.ts';
import type { AgentCallOptions, Interrupt, ToolCall, Toolkit, ToolkitEvent, ToolOutcome } from './api.ts';
import { createCallOrder } from './calls/call-order.ts';
import { createJoinedReads } from './calls/joined-reads.ts';
import type { CallPorts } from './calls/run-call.ts';
import type { Interrupts } from './interrupts/interrupts.ts';
import { toolkitOptions } from './options.table.ts';
import type { ToolkitOptions } from './options.ts';
import { createResultHandles, type ResultHandles } from './results/handles.ts';
import { Runner } from './runner.ts';
import type { ToolText } from './search/tool-text.ts';
import { Catalogue } from './source/catalogue.ts';
import { clientSource } from './source/client-source.ts';
import { hostSource } from './source/host-source.ts';
import type { ToolSource } from './source/tool-source.ts';
import { TurnList } from './turns.ts';

type Settings = Filled<ToolkitOptions, typeof toolkitOptions>;

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
  const id = settings.id ?? crypto.randomUUID();
  // Two users may have conversations with the same ID.
  const owner = tools.user === undefined ? id : JSON.stringify([tools.user, id]);
  const emit = (event: ToolkitEvent): void => runSafely(() => settings.onEvent?.(event));
  const catalogue = new Catalogue(tools, settings.filter, () => Date.now());
  const turns = createTurns(settings, tools, catalogue, emit);
  const closing = new AbortController();
  const runner = new Runner({
    calls: callPorts(settings, tools, owner, emit),
    catalogue,
    handles: createHandles(settings, tools, owner, emit),
    results: settings.results,
    interrupts: settings.interrupts === 'return' ? interruptsOf(tools, owner, settings.secrets) : undefined,
    closed: closing.signal,
    find: (args) => turns.find(args),
    used: (name) => turns.context.used(name),
  });
  const close = async (): Promise<void> => {
    closing.abort(new TenonError('connection-closed', 'The toolkit is closed.'));
    await catalogue.close();
  };
  const call = async (one: ToolCall, callOptions: AgentCallOptions = {}): Promise<ToolOutcome> => {
    checkCall(one);
    return ended(one, await runner.run(one, callOptions));
  };
  const ended = ({ id: callId, name }: ToolCall, outcome: ToolOutcome): ToolOutcome => {
    if (outcome.type === 'result') emit({ type: 'outcome', callId, name, isError: outcome.isError });
    return outcome;
  };
  return {
    id,
    list: (target = 'any', { found } = {}) => turns.list(target, found),
    search: (query, limit = 8) => turns.search(query, limit),
    call,
    callAll: (calls, callOptions) => Promise.all(calls.map((one) => call(one, callOptions))),
    async resume(interrupt, answer, callOptions = {}) {
      checkInterrupt(interrupt);
      return ended(interrupt.call, await runner.resume(interrupt, answer, callOptions));
    },
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

function createTurns(
  { context }: Settings,
  tools: ToolSource,
  catalogue: Catalogue,
  emit: (event: ToolkitEvent) => void,
): TurnList {
  const { pinned = [], maxTokens, maxDescriptionChars, rank, countTokens } = context;
  const isPinned = typeof pinned === 'function' ? pinned : ({ name }: ToolText): boolean => pinned.includes(name);
  return new TurnList({
    catalogue,
    context: { maxTokens, maxDescriptionChars, isPinned, rank, countTokens },
    instructions: () => tools.instructions(),
    emit,
  });
}

function callPorts(
  { calls }: Settings,
  source: ToolSource,
  owner: string,
  emit: (event: ToolkitEvent) => void,
): CallPorts {
  const { order, maxConcurrent, trustedServers, timeoutMs } = calls;
  return {
    owner,
    source,
    order: createCallOrder(maxConcurrent, order === 'parallel'),
    joined: createJoinedReads(),
    trusted: new Set(trustedServers),
    timeoutMs,
    emit,
  };
}

function createHandles(
  { results }: Settings,
  source: ToolSource,
  owner: string,
  emit: (event: ToolkitEvent) => void,
): ResultHandles {
  const { maxChars, maxStoredChars, ttlMs, store = memoryResults() } = results;
  return createResultHandles({
    maxChars,
    maxStoredChars,
    ttlMs,
    store,
    owner,
    readResource: ({ server = '', uri }) => source.readText(server, uri),
    onError: (error) => emit({ type: 'warning', error }),
  });
}

/** Loaded with the first call: most toolkits wait. */
function interruptsOf(source: ToolSource, owner: string, secrets: readonly string[] | undefined): Interrupts {
  let made: Promise<Interrupts> | undefined;
  const load = (): Promise<Interrupts> => {
    made ??= import('./interrupts/interrupts.ts').then((loaded) => loaded.createInterrupts(source, owner, secrets));
    return made;
  };
  return {
    start: async (...call) => (await load()).start(...call),
    resume: async (...call) => (await load()).resume(...call),
  };
}

/** What a program passes wrong is an error of the program, not an outcome for the model. */
function checkCall(call: ToolCall): void {
  const given: unknown = call;
  if (!isRecord(given) || typeof given.id !== 'string' || typeof given.name !== 'string')
    throw wrong('call()', 'call', "be an object such as { id: 'call-1', name: 'files__read', arguments: {} }");
}

function checkInterrupt(interrupt: Interrupt): void {
  const given: unknown = interrupt;
  if (!isRecord(given) || typeof given.sealed !== 'string' || !isRecord(given.call))
    throw wrong('resume()', 'interrupt', 'be the interrupt of an outcome');
  checkCall(interrupt.call);
}
