/** Tools for LangChain and LangGraph, made with the functions of your version. */

import type { ModelPart } from '../../client/content/model-content.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { AdapterOptions, AgentTool, Toolkit, ToolOutcome } from '../api.ts';
import { textOfOutcome } from '../interrupts/interrupt-texts.ts';
import { type LowerSchema, loadLowering } from '../schemas/load-lowering.ts';
import { withoutPatterns } from '../schemas/without-patterns.ts';
import type { LangGraphInterrupt } from './langgraph.ts';

/** A part of a message of a tool. */
export type LangChainContent = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** The fields of a message of a tool. */
export interface LangChainMessage {
  /** What the model gets. */
  content: LangChainContent[];
  /** The ID of the call. */
  tool_call_id: string;
  /** The name of the tool. */
  name: string;
  /** Whether the call failed. */
  status: 'success' | 'error';
}

/** What LangChain passes to a tool beside its arguments. */
export interface LangChainRun {
  /** The call of the model. */
  toolCall?: {
    /** The ID of the call. */
    id?: string | undefined;
  };
  /** Cancels the call. */
  signal?: AbortSignal;
  /** What LangGraph passes on to tools. */
  configurable?: Record<string, unknown>;
}

/**
 * What `toLangChain` needs: `tool` of `@langchain/core/tools`, and `ToolMessage` of `@langchain/core/messages`. With
 * `interrupt` of `@langchain/langgraph` and `interrupts: 'return'` of the toolkit, a call that needs a person interrupts
 * the graph.
 */
export interface LangChainParts<T> extends AdapterOptions {
  /** `tool` of `@langchain/core/tools`. */
  readonly tool: (
    run: (args: unknown, config: LangChainRun) => Promise<unknown>,
    fields: {
      name: string;
      description: string;
      schema: Record<string, unknown>;
      responseFormat: 'content';
      verboseParsingErrors: boolean;
    },
  ) => T;
  /** `ToolMessage` of `@langchain/core/messages`. */
  readonly ToolMessage: new (
    fields: never,
  ) => unknown;
  /** `interrupt` of `@langchain/langgraph`. Without it the model gets a text that the call waits. */
  readonly interrupt?: (value: LangGraphInterrupt) => unknown;
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * The tools of a turn for `createAgent`, `createReactAgent`, `ToolNode` and `model.bindTools`.
 *
 * @example
 * ```ts
 * const tools = await toLangChain(kit, { tool, ToolMessage });
 * const agent = createReactAgent({ llm, tools });
 * ```
 */
export async function toLangChain<T>(kit: Toolkit, parts: LangChainParts<T>): Promise<T[]> {
  const { tools } = await kit.list(parts.target ?? 'openai', { found: 'call_tool' });
  const lower = await loadLowering();
  return tools.filter(({ deferred }) => !deferred).map((tool) => toTool(kit, tool, lower, parts));
}

/** The member by which LangGraph's `interrupt` counts the answers of one attempt to run a node. */
const scratchpad = '__pregel_scratchpad';

function toTool<T>(
  kit: Toolkit,
  tool: AgentTool,
  lower: LowerSchema,
  { tool: make, ToolMessage, interrupt }: LangChainParts<T>,
): T {
  const run = async (args: unknown, config: LangChainRun = {}): Promise<unknown> => {
    const id = config.toolCall?.id ?? crypto.randomUUID();
    const call = { id, name: tool.name, arguments: args };
    const options = { media: images, ...(config.signal && { signal: config.signal }) };
    const { checkpoint_ns: node = '', [scratchpad]: attempt } = config.configurable ?? {};
    const place = { node: String(node), attempt: isRecord(attempt) ? attempt : config };
    const outcome =
      interrupt === undefined
        ? await kit.call(call, options)
        : await (await import('./langgraph.ts')).callInGraph(kit, call, { ...place, ask: interrupt }, options);
    // A thrown error would get "Please fix your mistakes.", even for a denied call.
    return new ToolMessage(message(outcome, tool.name) as never);
  };
  return make(run, {
    name: tool.name,
    description: tool.description,
    schema: checkable(tool.inputSchema, lower),
    responseFormat: 'content',
    // Otherwise the model does not read what is wrong.
    verboseParsingErrors: true,
  });
}

/**
 * Its tools check arguments themselves, with the regular expressions of JavaScript. In the form for OpenAI nothing tests
 * whether a part fails, so that a part without its pattern makes nothing else narrower.
 */
function checkable(schema: AgentTool['inputSchema'], lower: LowerSchema): Record<string, unknown> {
  const lowered = lower(schema, 'openai');
  return withoutPatterns('problem' in lowered ? schema : lowered.schema);
}

function message(outcome: ToolOutcome, name: string): LangChainMessage {
  const isError = outcome.type === 'result' && outcome.isError;
  return {
    content:
      outcome.type === 'interrupt' ? [{ type: 'text', text: textOfOutcome(outcome) }] : outcome.parts.map(toContent),
    tool_call_id: outcome.callId,
    name,
    status: isError ? 'error' : 'success',
  };
}

const toContent = (part: ModelPart): LangChainContent =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
