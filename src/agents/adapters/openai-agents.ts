/** Tools for the Agents SDK of OpenAI, as one of its MCP servers. */
import type { ModelPart } from '../../client/content/model-content.ts';
import type { AdapterOptions, AgentTool, Toolkit, ToolOutcome } from '../api.ts';
import { textOfInterrupt } from '../interrupts/interrupt-texts.ts';

/** A tool as the SDK lists it. */
export interface OpenAIAgentsTool {
  /** The name that the model calls. */
  name: string;
  /** What the tool does. */
  description: string;
  /** The schema of the arguments. */
  inputSchema: {
    type: 'object';
    /** The arguments by name. */
    properties: Record<string, unknown>;
    /** The arguments that have to be set. */
    required: string[];
    /** Always `false`, as the SDK requires. */
    additionalProperties: boolean;
    [keyword: string]: unknown;
  };
}

/** A part of a result, as the SDK takes it. */
export type OpenAIAgentsContent = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** What the SDK calls `MCPServer`: pass it in `mcpServers` of an agent. */
export interface OpenAIAgentsServer {
  /** The name of the server in traces. */
  readonly name: string;
  /** Always `false`: tools that were found are in the next list. */
  cacheToolsList: boolean;
  /** Does nothing: servers are connected when they are first used. */
  connect(): Promise<void>;
  /** Does nothing: close the toolkit yourself. */
  close(): Promise<void>;
  /** The tools of the next turn. */
  listTools(): Promise<OpenAIAgentsTool[]>;
  /** Runs a call. */
  callTool(
    name: string,
    args: Record<string, unknown> | null,
    meta?: Record<string, unknown> | null,
    options?: { signal?: AbortSignal },
  ): Promise<OpenAIAgentsContent[]>;
  /** Does nothing: there is no cache. */
  invalidateToolsCache(): Promise<void>;
}

/** The options of `toOpenAIAgents`. */
export interface OpenAIAgentsOptions extends AdapterOptions {
  /** The name of the server in traces. Default `tenon`. */
  readonly name?: string;
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * The toolkit as a server of the Agents SDK, which lists its tools before every turn.
 *
 * @example
 * ```ts
 * const agent = new Agent({ name: 'Assistant', mcpServers: [toOpenAIAgents(kit)] });
 * ```
 */
export function toOpenAIAgents(
  kit: Toolkit,
  { name = 'tenon', target = 'openai' }: OpenAIAgentsOptions = {},
): OpenAIAgentsServer {
  return {
    name,
    // A tool that was found is there in the next turn.
    cacheToolsList: false,
    connect: async () => {},
    // The toolkit may serve several agents: who made it closes it.
    close: async () => {},
    invalidateToolsCache: async () => {},
    async listTools() {
      const { tools } = await kit.list(target, { found: 'next-list' });
      return tools.filter(({ deferred }) => !deferred).map(toTool);
    },
    async callTool(tool, args, _meta, { signal } = {}) {
      // The SDK does not pass the ID of the call.
      const call = { id: crypto.randomUUID(), name: tool, arguments: args };
      return contentOf(await kit.call(call, { media: images, ...(signal && { signal }) }));
    },
  };
}

/** With `additionalProperties: true` at the root the SDK logs an error for each tool and turn. */
function toTool({ name, description, inputSchema }: AgentTool): OpenAIAgentsTool {
  const { properties = {}, required = [] } = inputSchema as Partial<OpenAIAgentsTool['inputSchema']>;
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object', properties, required, additionalProperties: false },
  };
}

const contentOf = (outcome: ToolOutcome): OpenAIAgentsContent[] =>
  outcome.type === 'interrupt'
    ? [{ type: 'text', text: textOfInterrupt(outcome.interrupt) }]
    : outcome.parts.map(toContent);

const toContent = (part: ModelPart): OpenAIAgentsContent =>
  part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image', data: part.data, mimeType: part.mimeType };
