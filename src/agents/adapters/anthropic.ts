/** Tools for the SDK of Anthropic: for its tool runner, and for `messages.create`. */
import type { ModelPart } from '../../client/content/model-content.ts';
import type { AgentTool, Toolkit, ToolOutcome } from '../api.ts';
import { textOfInterrupt } from '../interrupts/interrupt-texts.ts';

/** A part of a result, as the API takes it. */
export type AnthropicContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; data: string; media_type: AnthropicImage } }
  | { type: 'document'; source: { type: 'base64'; data: string; media_type: 'application/pdf' } }
  | { type: 'tool_reference'; tool_name: string };

type AnthropicImage = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** A tool with its schema, and the two functions that the tool runner calls. */
export interface AnthropicTool {
  /** The name that the model calls. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The schema of the arguments. */
  input_schema: { type: 'object'; [keyword: string]: unknown };
  /** Set for tools that the model gets only after it has found them. */
  defer_loading?: boolean;
  /** Runs a call; the tool runner calls it. */
  run: (
    args: unknown,
    context?: { toolUse?: { id: string }; toolUseBlock?: { id: string }; signal?: AbortSignal | null | undefined },
  ) => Promise<AnthropicContent[]>;
  /** Returns the arguments as they are: the toolkit checks them. */
  parse: (input: unknown) => unknown;
}

/** The class `ToolError` of the SDK: an error of it keeps images, and is not prefixed. */
export type ErrorClass = new (content: AnthropicContent[]) => Error;

/** The options of `toAnthropic`. */
export interface AnthropicOptions {
  /** `ToolError` of `@anthropic-ai/sdk`. Without it a failed call reaches the model as text alone. */
  readonly ToolError?: ErrorClass;
  /**
   * How the model gets a tool that it has found: `native` sends all tools, those that do not fit with `defer_loading`;
   * `call_tool` works with every model. Default `native`.
   */
  readonly found?: 'native' | 'call_tool';
}

const media = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

/**
 * The tools of a turn for `client.beta.messages.toolRunner`, or for `messages.create` and a loop of your own.
 *
 * @example
 * ```ts
 * const runner = client.beta.messages.toolRunner({ model, max_tokens, messages, tools: await toAnthropic(kit, { ToolError }) });
 * ```
 */
export async function toAnthropic(kit: Toolkit, options: AnthropicOptions = {}): Promise<AnthropicTool[]> {
  const { found = 'native' } = options;
  const { tools } = await kit.list('anthropic', { found });
  return tools
    .filter(({ deferred }) => !deferred || found === 'native')
    .map((tool) => toTool(kit, tool, { found, ...options }));
}

const toTool = (kit: Toolkit, tool: AgentTool, { ToolError, found }: AnthropicOptions): AnthropicTool => ({
  name: tool.name,
  description: tool.description,
  input_schema: { ...tool.inputSchema, type: 'object' },
  ...(tool.deferred && { defer_loading: true }),
  parse: (input) => input,
  async run(args, context = {}) {
    const id = context.toolUse?.id ?? context.toolUseBlock?.id ?? crypto.randomUUID();
    const signal = context.signal ?? undefined;
    const outcome = await kit.call({ id, name: tool.name, arguments: args }, { media, ...(signal && { signal }) });
    const content = contentOf(outcome, found === 'native');
    if (outcome.type === 'interrupt' || !outcome.isError) return content;
    throw ToolError === undefined ? new Error(outcome.text) : new ToolError(content);
  },
});

function contentOf(outcome: ToolOutcome, isNative: boolean): AnthropicContent[] {
  if (outcome.type === 'interrupt') return [{ type: 'text', text: textOfInterrupt(outcome.interrupt) }];
  // The API puts the definitions of deferred tools where they are referred to.
  if (isNative && outcome.found !== undefined)
    return outcome.found.map((name) => ({ type: 'tool_reference', tool_name: name }));
  return outcome.parts.map(toContent);
}

function toContent(part: ModelPart): AnthropicContent {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mimeType } = part;
  if (mimeType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', data, media_type: 'application/pdf' } };
  return { type: 'image', source: { type: 'base64', data, media_type: mimeType as AnthropicImage } };
}
