/** Tools for the SDK of OpenAI: for the Responses API, and for Chat Completions. */
import type { ModelPart } from '../../client/content/model-content.ts';
import type { AgentCallOptions, AgentTool, ToolCall, Toolkit, ToolOutcome } from '../api.ts';
import { textOfInterrupt } from '../interrupts/interrupt-texts.ts';

/** A function tool of the Responses API. */
export interface OpenAIResponsesTool {
  type: 'function';
  /** The name that the model calls. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The schema of the arguments. */
  parameters: Record<string, unknown>;
  /** Whether the model has to keep to the schema. */
  strict: boolean;
}

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

/** The answer to a call of the Responses API, for its `input`. */
export interface OpenAIResponsesOutput {
  type: 'function_call_output';
  /** The ID of the call. */
  call_id: string;
  /** What the model gets. */
  output:
    | string
    | Array<{ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' }>;
}

/** The answer to a call of Chat Completions, for its `messages`. */
export interface OpenAIChatOutput {
  role: 'tool';
  /** The ID of the call. */
  tool_call_id: string;
  /** What the model gets. */
  content: string;
}

/** The tools of a turn, and a function that runs the calls of a response. */
export interface OpenAITools<Tool, Output> {
  /** For `tools` of the request. */
  readonly tools: Tool[];
  /**
   * Runs the calls among the items of a response (`output`), or those of a message (`tool_calls`). The answers are in
   * their order; other items are ignored.
   */
  run(items: readonly unknown[] | null | undefined, options?: Pick<AgentCallOptions, 'signal'>): Promise<Output[]>;
}

/** The options of `toOpenAI`. */
export interface OpenAIOptions {
  /** Which API. Default `responses`. */
  readonly api?: 'responses' | 'chat';
  /** Whether tools are strict whose schema has a strict form. Default `false`. */
  readonly strict?: boolean;
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * The tools of a turn for `client.responses.create`, or with `api: 'chat'` for `client.chat.completions.create`.
 *
 * @example
 * ```ts
 * const { tools, run } = await toOpenAI(kit);
 * const response = await client.responses.create({ model, input, tools });
 * input.push(...response.output, ...(await run(response.output)));
 * ```
 */
export function toOpenAI(
  kit: Toolkit,
  options: OpenAIOptions & { readonly api: 'chat' },
): Promise<OpenAITools<OpenAIChatTool, OpenAIChatOutput>>;
export function toOpenAI(
  kit: Toolkit,
  options?: OpenAIOptions & { readonly api?: 'responses' },
): Promise<OpenAITools<OpenAIResponsesTool, OpenAIResponsesOutput>>;
export async function toOpenAI(
  kit: Toolkit,
  { api = 'responses', strict = false }: OpenAIOptions = {},
): Promise<OpenAITools<OpenAIChatTool | OpenAIResponsesTool, OpenAIChatOutput | OpenAIResponsesOutput>> {
  const { tools: all } = await kit.list(strict ? 'openai-strict' : 'openai', { found: 'call_tool' });
  const tools = all.filter(({ deferred }) => !deferred);
  const isChat = api === 'chat';
  return {
    tools: isChat ? tools.map(chatTool) : tools.map(responsesTool),
    async run(items, options = {}) {
      const calls = (items ?? []).flatMap((item) => (isChat ? chatCall(item) : responsesCall(item)));
      // A message of a tool is text in Chat Completions.
      const outcomes = await kit.callAll(calls, { ...options, media: isChat ? [] : images });
      return isChat ? outcomes.map(chatOutput) : outcomes.map(responsesOutput);
    },
  };
}

const responsesTool = ({ name, description, inputSchema, strict }: AgentTool): OpenAIResponsesTool => ({
  type: 'function',
  name,
  description,
  parameters: inputSchema,
  strict,
});

const chatTool = ({ name, description, inputSchema, strict }: AgentTool): OpenAIChatTool => ({
  type: 'function',
  function: { name, description, parameters: inputSchema, strict },
});

interface ResponsesCall {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Arguments are text that may be cut or invalid: the toolkit answers that. */
function responsesCall(item: unknown): ToolCall[] {
  const { type, call_id: id, name, arguments: args } = item as ResponsesCall;
  return type === 'function_call' ? [{ id, name, arguments: args }] : [];
}

interface ChatCall {
  readonly type: string;
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

function chatCall(item: unknown): ToolCall[] {
  const { type, id, function: called } = item as ChatCall;
  return type === 'function' ? [{ id, name: called.name, arguments: called.arguments }] : [];
}

const textOf = (outcome: ToolOutcome): string =>
  outcome.type === 'interrupt' ? textOfInterrupt(outcome.interrupt) : outcome.text;

const chatOutput = (outcome: ToolOutcome): OpenAIChatOutput => ({
  role: 'tool',
  tool_call_id: outcome.callId,
  content: textOf(outcome),
});

function responsesOutput(outcome: ToolOutcome): OpenAIResponsesOutput {
  const parts: readonly ModelPart[] = outcome.type === 'interrupt' ? [] : outcome.parts;
  const hasImages = parts.some(({ type }) => type !== 'text');
  return {
    type: 'function_call_output',
    call_id: outcome.callId,
    output: hasImages ? parts.map(toContent) : textOf(outcome),
  };
}

const toContent = (part: ModelPart) =>
  part.type === 'text'
    ? { type: 'input_text' as const, text: part.text }
    : { type: 'input_image' as const, image_url: `data:${part.mimeType};base64,${part.data}`, detail: 'auto' as const };
