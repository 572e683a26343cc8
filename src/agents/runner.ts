/** Runs the calls of a model: those of its own tools here, the others on their servers. Failures are outcomes. */
import type { HostTool } from '../host/lists/lists.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { nearestName } from '../lib/text/nearest-name.ts';
import { orAborted } from '../lib/time/or-aborted.ts';
import { isRecord } from '../lib/values/is.ts';
import type { AgentCallOptions, Interrupt, InterruptAnswer, ToolCall, ToolOutcome } from './api.ts';
import { createArgumentCheck, readArguments } from './calls/arguments.ts';
import { createLine, type PlaceInLine } from './calls/line.ts';
import { failed, resultOutcome, textOutcome } from './calls/outcome.ts';
import { type CallInLine, type CallPorts, inOrder, runCall } from './calls/run-call.ts';
import type { FindAnswer } from './context/find-tools.ts';
import { callToolName, findToolsName, ownToolNames, readMoreName } from './context/own-tools.ts';
import { errorText } from './error-text.ts';
import { deniedText, staleText } from './interrupts/interrupt-texts.ts';
import type { CheckedCall, Interrupted, Interrupts } from './interrupts/interrupts.ts';
import type { ResultHandles } from './results/handles.ts';
import type { ModelPartsPorts } from './results/model-parts.ts';
import type { Catalogue } from './source/catalogue.ts';

export interface RunnerPorts {
  readonly calls: CallPorts;
  readonly catalogue: Catalogue;
  readonly handles: ResultHandles;
  /** Absent where calls wait for people. */
  readonly interrupts: Interrupts | undefined;
  readonly results: Pick<ModelPartsPorts, 'maxChars' | 'maxMediaBytes' | 'resizeImage'>;
  /** Aborted when the toolkit is closed. */
  readonly closed: AbortSignal;
  /** Answers a call of `find_tools`. */
  find(args: unknown): Promise<FindAnswer>;
  /** The model has called a tool. */
  used(name: string): void;
}

export class Runner {
  readonly #ports: RunnerPorts;
  readonly #checks = createArgumentCheck();
  readonly #line = createLine();

  constructor(ports: RunnerPorts) {
    this.#ports = ports;
  }

  /** Rejects only if the signal is aborted, and then at once: a server that starts or a search may take long. */
  async run(call: ToolCall, options: AgentCallOptions): Promise<ToolOutcome> {
    const { signal } = options;
    signal?.throwIfAborted();
    // Before anything is awaited: calls at the same time are made in the order of the model.
    const place = this.#line.join();
    const running = this.#run(call, place, options).finally(place.leave);
    try {
      return await orAborted(running, signal);
    } catch (error) {
      signal?.throwIfAborted();
      return failed(call.id, errorText(error, call.name.slice(0, maxShownName)));
    }
  }

  async #run(call: ToolCall, place: PlaceInLine, options: AgentCallOptions): Promise<ToolOutcome> {
    const { calls, catalogue } = this.#ports;
    if (ownToolNames.includes(call.name)) return this.#runOwn(call, place, options);
    const { tools } = await catalogue.toolsWith(call.name);
    const tool = tools.get(call.name);
    calls.emit({ type: 'call', callId: call.id, name: call.name, ...(tool && { server: tool.server }) });
    const read = readArguments(call.arguments);
    if ('problem' in read) return failed(call.id, read.problem);
    if (tool !== undefined) return this.#runOnServer({ tool, call, args: read.args, place }, options);
    return failed(call.id, unknownTool(call.name, [...tools.keys()]));
  }

  /** No tool of a server has such a name: these wait for no list. */
  async #runOwn(call: ToolCall, place: PlaceInLine, options: AgentCallOptions): Promise<ToolOutcome> {
    const { calls, handles } = this.#ports;
    calls.emit({ type: 'call', callId: call.id, name: call.name });
    const read = readArguments(call.arguments);
    if ('problem' in read) return failed(call.id, read.problem);
    // A search and a linked resource may take long: the calls that follow do not depend on them.
    if (call.name !== callToolName) place.leave();
    if (call.name === findToolsName) return this.#find(call, read.args);
    if (call.name === readMoreName) return textOutcome(call.id, await handles.readMore(read.args));
    const { name, arguments: args } = read.args;
    if (typeof name !== 'string' || name === callToolName) return failed(call.id, wrongCallTool);
    return this.#run({ id: call.id, name, arguments: args }, place, options);
  }

  /** Rejects for an aborted signal, too, and for an answer that a program made wrong. */
  async resume(interrupt: Interrupt, answer: InterruptAnswer, options: AgentCallOptions): Promise<ToolOutcome> {
    options.signal?.throwIfAborted();
    return orAborted(this.#resume(interrupt, answer, options), options.signal);
  }

  async #resume(interrupt: Interrupt, answer: InterruptAnswer, options: AgentCallOptions): Promise<ToolOutcome> {
    const { calls, catalogue, interrupts } = this.#ports;
    if (interrupts === undefined) throw notInterrupting();
    const { call } = interrupt;
    const { tools } = await catalogue.toolsWith(call.name);
    const tool = tools.get(call.name);
    const read = readArguments(call.arguments);
    if (tool === undefined || 'problem' in read) return failed(call.id, staleText(call.name));
    const place = this.#line.join();
    const one: CallInLine = { tool, call, args: read.args, place };
    const running = this.#attempt(one, options, (signal) =>
      inOrder(calls, one, signal, (sending) => interrupts.resume(one, interrupt, answer, sending)),
    );
    return running.finally(place.leave);
  }

  async #runOnServer(given: CallInLine, options: AgentCallOptions): Promise<ToolOutcome> {
    const { tool, call } = given;
    const { calls, interrupts, used } = this.#ports;
    const checked = await this.#checks.check(tool.inputSchema, given.args);
    if ('problem' in checked) return failed(call.id, wrongArguments(tool, checked.problem));
    used(tool.name);
    const one: CallInLine = { ...given, args: checked.args };
    return this.#attempt(one, options, async (signal) =>
      interrupts === undefined
        ? { is: 'result', result: await runCall(calls, one, signal) }
        : inOrder(calls, one, signal, (sending) => interrupts.start(one, sending)),
    );
  }

  /** Runs a call with the signals of its caller and the toolkit. Errors become texts. */
  async #attempt(
    { tool, call }: CheckedCall,
    { signal, media }: AgentCallOptions,
    send: (signal: AbortSignal) => Promise<Interrupted>,
  ): Promise<ToolOutcome> {
    const { calls, handles, results, closed } = this.#ports;
    const signals = [closed, ...(signal === undefined ? [] : [signal])];
    try {
      const sent = await send(AbortSignal.any(signals));
      if (sent.is === 'denied') return failed(call.id, deniedText(tool.name, sent.reason));
      if (sent.is === 'stale') return failed(call.id, staleText(tool.name));
      if (sent.is === 'interrupt') {
        calls.emit({ type: 'interrupt', callId: call.id, interrupt: sent.interrupt });
        return { type: 'interrupt', callId: call.id, interrupt: sent.interrupt };
      }
      const onError = (error: unknown): void => calls.emit({ type: 'warning', error });
      return await resultOutcome(call.id, sent.result, { ...results, handles, server: tool.server, media, onError });
    } catch (error) {
      signal?.throwIfAborted();
      if (isMisuse(error)) throw error;
      return failed(call.id, errorText(error, tool.name, tool.server));
    }
  }

  async #find(call: ToolCall, args: Record<string, unknown>): Promise<ToolOutcome> {
    const answer = await this.#ports.find(args).catch((error: unknown) => {
      this.#ports.calls.emit({ type: 'warning', error });
      return searchFailed;
    });
    const query = typeof args.query === 'string' ? args.query : '';
    this.#ports.calls.emit({ type: 'search', query, found: answer.found });
    // The schema of one tool may be long, too.
    return textOutcome(call.id, { ...answer, text: await this.#ports.handles.shorten(answer.text) });
  }
}

/** An answer that a program made wrong. */
const isMisuse = (error: unknown): boolean =>
  error instanceof TenonError && error.code === 'invalid-argument' && error.message.startsWith('resume()');

const notInterrupting = (): TenonError =>
  new TenonError('invalid-argument', 'resume(): This toolkit returns no interrupts.', {
    hint: "Pass interrupts: 'return' to createToolkit.",
  });

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

const searchFailed: FindAnswer = {
  isError: true,
  text: 'The search does not work now. Pass names of the directory in "names", or go on without another tool.',
  found: [],
};

/** Characters of a name that a model has made up. */
const maxShownName = 100;

/** Names the tools that were probably meant. */
function unknownTool(made: string, known: readonly string[]): string {
  const name = made.slice(0, maxShownName);
  const rest = [...known];
  const nearest: string[] = [];
  for (let n = 0; n < 3; n++) {
    const found = nearestName(name, rest);
    if (found === undefined) break;
    nearest.push(found);
    rest.splice(rest.indexOf(found), 1);
  }
  const meant = nearest.length > 0 ? ` Did you mean ${nearest.join(', ')}?` : ' Use a name from the list of tools.';
  return `There is no tool ${JSON.stringify(name)}.${meant}`;
}
