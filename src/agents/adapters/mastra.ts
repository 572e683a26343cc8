/** Tools for Mastra: plain objects that its agents take. */
import type { AdapterOptions, AgentTool, Toolkit, ToolOutcome } from '../api.ts';
import type { MediaPart } from '../results/true-media.ts';
import { type PassingSchema, passing } from './ai-sdk.ts';
import { modelOutput } from './model-output.ts';

/** A result as Mastra gives it to a model. */
export type MastraOutput =
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: Array<{ type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string }>;
    };

/** What Mastra passes to a tool beside its arguments. */
export interface MastraContext {
  /** What an agent passes. */
  readonly agent?: {
    /** The ID of the call. */
    readonly toolCallId?: string | undefined;
  };
  /** The ID of the call. */
  readonly toolCallId?: string | undefined;
  /** Cancels the call. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A tool of Mastra. */
export interface MastraTool {
  /** The name that the model calls. */
  id: string;
  /** What the tool does. */
  description: string;
  /** The schema of the arguments. */
  inputSchema: PassingSchema;
  /** Runs a call. */
  execute: (input: unknown, context?: MastraContext) => Promise<ToolOutcome>;
  /** Converts the outcome of a call for the model. */
  toModelOutput: (output: unknown) => MastraOutput;
}

/**
 * The tools of a turn for an agent of Mastra.
 *
 * @example
 * ```ts
 * const agent = new Agent({ id: 'assistant', name: 'Assistant', instructions, model, tools: await toMastra(kit) });
 * ```
 */
export async function toMastra(
  kit: Toolkit,
  { target = 'any' }: AdapterOptions = {},
): Promise<Record<string, MastraTool>> {
  const { tools } = await kit.list(target, { found: 'call_tool' });
  const sent = tools.filter(({ deferred }) => !deferred);
  return Object.fromEntries(sent.map((tool) => [tool.name, toTool(kit, tool)]));
}

const toTool = (kit: Toolkit, tool: AgentTool): MastraTool => ({
  id: tool.name,
  description: tool.description,
  inputSchema: passing(tool.inputSchema),
  execute(input, context) {
    const { id, signal } = callOf(context);
    return kit.call({ id, name: tool.name, arguments: input }, signal && { signal });
  },
  toModelOutput: (output) => modelOutput(output as ToolOutcome, toMedia),
});

/** Mastra passes the ID in `agent`; its form for plain tools of the AI SDK has it at the top. */
function callOf(context: MastraContext = {}): { id: string; signal: AbortSignal | undefined } {
  const id = context.agent?.toolCallId ?? context.toolCallId ?? crypto.randomUUID();
  return { id, signal: context.abortSignal };
}

const toMedia = (part: MediaPart) => ({
  type: 'media' as const,
  data: part.data,
  mediaType: part.mimeType,
});
