/** `find_tools` and `call_tool`: what callers list of a gateway with `search`, besides the tools that are pinned. */
import { findTools } from '../../agents/context/find-tools.ts';
import {
  callToolName,
  callToolTool,
  findToolsName,
  findToolsTool,
  type OwnTool,
} from '../../agents/context/own-tools.ts';
import { maxDirectoryTokens } from '../../agents/context/tool-context.ts';
import { directoryText } from '../../agents/search/directory.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { Settled } from '../../ports/call-outcome.ts';
import type { ServerGuard } from '../../ports/guard.ts';
import type { CallableTool, ListedRecords } from '../../server/definition/compiled.ts';
import { done, type Invocation } from '../../server/features/invocation.ts';
import { chooseTask } from '../../server/features/task.ts';
import { limitTime } from '../../server/features/time-limit.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { Registry } from '../../server/registry/registry.ts';
import type { SearchOptions } from '../options.ts';
import { matcherOf } from './naming.ts';
import { type RecordedTools, ToolIndexes } from './tool-indexes.ts';

const isOwn = (name: unknown): boolean => name === findToolsName || name === callToolName;

export class SearchTools {
  readonly #visible: (caller: SourceCaller) => Registry;
  readonly #isPinned: (name: string) => boolean;
  readonly #indexes = new ToolIndexes();
  /** Lists without a guard: the same tools have the same list. */
  readonly #listed = new WeakMap<RecordedTools, ListedRecords>();
  /** By their names, for calls. */
  readonly tools: ReadonlyMap<string, CallableTool<Invocation>>;

  /** `visible`: the features that a caller has and sees. */
  constructor({ pinned = [] }: SearchOptions, visible: (caller: SourceCaller) => Registry) {
    this.#visible = visible;
    this.#isPinned = matcherOf(pinned);
    this.tools = new Map([
      [findToolsName, compiled(recordOf(findTool('')), (invocation) => this.#find(invocation))],
      [callToolName, compiled(recordOf(callToolTool), () => wrongCall)],
    ]);
  }

  /** What is listed of the tools that a caller sees. */
  readonly listed = (tools: RecordedTools): ListedRecords => {
    const known = this.#listed.get(tools) ?? this.#list(tools);
    this.#listed.set(tools, known);
    return known;
  };

  #list(tools: RecordedTools): ListedRecords {
    const directory = directoryText([...this.#indexes.textsOf(tools, isOwn).values()], maxDirectoryTokens);
    return new Map([
      [findToolsName, { record: recordOf(findTool(directory)) }],
      [callToolName, { record: recordOf(callToolTool) }],
      ...[...tools].filter(([name]) => !isOwn(name) && this.#isPinned(name)),
    ]);
  }

  /** Limits count it; a policy does not decide about it: it shows what the caller sees anyway. */
  async #find(invocation: Invocation): Promise<Settled> {
    const { tools, listMeta } = this.#visible(invocation.context.by);
    const texts = this.#indexes.textsOf(tools, isOwn);
    const { isError, text } = await findTools(invocation.call.params.arguments, {
      tools: texts,
      search: (query, limit) => this.#indexes.search(tools, texts, query, limit),
      withSchemas: true,
    });
    return done({
      content: [{ type: 'text', text }],
      ...(isError && { isError }),
      ...(listMeta && { _meta: listMeta }),
    });
  }
}

/** Both tools exist for every caller: they show and call only what a caller may see and call. */
export const withSearchTools = (guard: ServerGuard): ServerGuard => ({
  ...guard,
  sees: (caller, feature) => isOwn(feature.tool) || guard.sees(caller, feature),
});

const findTool = (directory: string): OwnTool => ({
  ...findToolsTool(''),
  description:
    'Finds tools of this server. Call it with a few words about what you want to do, or with names from the directory. It ' +
    `answers with their full names and the schemas of their arguments; call them by ${callToolName}. Directory, by ` +
    `server:\n${directory}`,
});

const recordOf = ({ name, description, inputSchema }: OwnTool): Fields => ({ name, description, inputSchema });

function compiled(record: Fields, run: (invocation: Invocation) => MaybePromise<Settled>): CallableTool<Invocation> {
  const tool = { name: String(record.name), task: undefined };
  return {
    ...tool,
    source: record,
    record,
    fingerprint: tool.name,
    timeoutMs: undefined,
    scopes: undefined,
    serve(invocation) {
      limitTime(invocation, undefined);
      const chosen = chooseTask(invocation, tool);
      return chosen instanceof RpcError ? chosen : run(invocation);
    },
  };
}

/** A call that names a tool has become the call of that tool before. */
const wrongCall: Settled = done({
  content: [
    {
      type: 'text',
      text: `The arguments are not valid. Write ${callToolName}({ name: "…", arguments: { … } }), with a full name that ${findToolsName} has answered.`,
    },
  ],
  isError: true,
});
