/** Tools, calls and answers as Chat Completions has them. */
import type { AgentTool, ToolCall, ToolOutcome } from '../api.ts';
import { textOfOutcome } from '../interrupts/interrupt-texts.ts';

/** A function tool of Chat Completions. */
export interface OpenAIChatTool {
  type: 'function';
  /** The definition of the function. */
  function: OpenAIFunction;
}

/** The definition of a function of Chat Completions. */
export interface OpenAIFunction {
  /** The name that the model calls. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Whether the model has to keep to the schema. */
  strict: boolean;
}

/** The answer to a call of Chat Completions, for its `messages`. */
export interface OpenAIChatOutput {
  role: 'tool';
  /** The ID of the call. */
  tool_call_id: string;
  /** What the model gets. */
  content: string;
}

export const chatTool = ({ name, description, inputSchema, strict }: AgentTool): OpenAIChatTool => ({
  type: 'function',
  function: { name, description, parameters: inputSchema, strict },
});

interface ChatCall {
  readonly id: string;
  /** Absent in calls of other kinds. Some servers of this API leave out `type`. */
  readonly function?: { readonly name: string; readonly arguments: unknown };
}

export function chatCall(item: unknown): ToolCall[] {
  const { id, function: called } = item as ChatCall;
  return called === undefined ? [] : [{ id, name: called.name, arguments: called.arguments }];
}

/** A message of a tool is text in Chat Completions. */
export const chatOutput = (outcome: ToolOutcome): OpenAIChatOutput => ({
  role: 'tool',
  tool_call_id: outcome.callId,
  content: textOfOutcome(outcome),
});
