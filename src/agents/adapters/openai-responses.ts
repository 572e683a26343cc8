/** Tools, calls and answers as the Responses API has them, with its tool search. */
import type { ModelPart } from '../../client/content/model-content.ts';
import type { AgentTool, ToolCall, ToolOutcome } from '../api.ts';
import { findToolsName } from '../context/own-tools.ts';
import { textOfOutcome } from '../interrupts/interrupt-texts.ts';

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
  /** Set for a tool that a search has found. */
  defer_loading?: boolean;
}

/** The tool by which a model finds others, with `found: 'native'`. */
export interface OpenAIToolSearch {
  type: 'tool_search';
  /** The program searches, not the API. */
  execution: 'client';
  /** What the search does, with the directory of tools. */
  description: string;
  /** The schema of the arguments. */
  parameters: Record<string, unknown>;
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

/** The answer to a search of the Responses API, for its `input`. */
export interface OpenAIToolSearchOutput {
  type: 'tool_search_output';
  /** The ID of the search. */
  call_id: string;
  /** The program has searched. */
  execution: 'client';
  status: 'completed';
  /** The definitions of what was found. */
  tools: OpenAIResponsesTool[];
}

export const responsesTool = ({ name, description, inputSchema, strict }: AgentTool): OpenAIResponsesTool => ({
  type: 'function',
  name,
  description,
  parameters: inputSchema,
  strict,
});

/** `find_tools` as a search whose answer has definitions, not text. */
export const nativeTool = (tool: AgentTool): OpenAIResponsesTool | OpenAIToolSearch =>
  tool.name === findToolsName
    ? { type: 'tool_search', execution: 'client', description: tool.description, parameters: tool.inputSchema }
    : responsesTool(tool);

interface ResponsesItem {
  readonly type: string;
  readonly call_id: string | null;
  readonly name: string;
  /** Text that may be cut or invalid: the toolkit answers that. */
  readonly arguments: unknown;
  readonly execution?: string;
}

/** A search that the API executes itself is not ours. */
export const isSearch = (item: unknown): boolean => {
  const { type, execution } = item as ResponsesItem;
  return type === 'tool_search_call' && execution === 'client';
};

export function responsesCall(item: unknown): ToolCall[] {
  const { type, call_id: id, name, arguments: args } = item as ResponsesItem;
  if (typeof id !== 'string') return [];
  if (isSearch(item)) return [{ id, name: findToolsName, arguments: args }];
  return type === 'function_call' ? [{ id, name, arguments: args }] : [];
}

export function responsesOutput(outcome: ToolOutcome): OpenAIResponsesOutput {
  const parts: readonly ModelPart[] = outcome.type === 'interrupt' ? [] : outcome.parts;
  const hasImages = parts.some(({ type }) => type !== 'text');
  return {
    type: 'function_call_output',
    call_id: outcome.callId,
    output: hasImages ? parts.map(toContent) : textOfOutcome(outcome),
  };
}

const toContent = (part: ModelPart) =>
  part.type === 'text'
    ? { type: 'input_text' as const, text: part.text }
    : { type: 'input_image' as const, image_url: `data:${part.mimeType};base64,${part.data}`, detail: 'auto' as const };

/** The API puts the definitions where they were found: what is before can be cached. */
export function searchOutput(outcome: ToolOutcome, tools: readonly AgentTool[]): OpenAIToolSearchOutput {
  const found = (outcome.type === 'result' && outcome.found) || [];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    type: 'tool_search_output',
    call_id: outcome.callId,
    execution: 'client',
    status: 'completed',
    tools: found
      .flatMap((name) => byName.get(name) ?? [])
      .map((tool) => ({ ...responsesTool(tool), defer_loading: true })),
  };
}
