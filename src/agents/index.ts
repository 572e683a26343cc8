/** Agents: the tools of a host for models, and adapters for the frameworks that call them. */

export { type AiSdkOptions, type AiSdkOutput, type AiSdkTool, type PassingSchema, toAiSdk } from './adapters/ai-sdk.ts';
export {
  type AnthropicContent,
  type AnthropicOptions,
  type AnthropicTool,
  type ErrorClass,
  toAnthropic,
} from './adapters/anthropic.ts';
export {
  type LangChainContent,
  type LangChainMessage,
  type LangChainParts,
  type LangChainRun,
  toLangChain,
} from './adapters/langchain.ts';
export type { LangGraphInterrupt } from './adapters/langgraph.ts';
export { type MastraContext, type MastraOutput, type MastraTool, toMastra } from './adapters/mastra.ts';
export { type OpenAIOptions, type OpenAITools, toOpenAI } from './adapters/openai.ts';
export {
  type OpenAIAgentsContent,
  type OpenAIAgentsOptions,
  type OpenAIAgentsServer,
  type OpenAIAgentsTool,
  toOpenAIAgents,
} from './adapters/openai-agents.ts';
export type { OpenAIChatOutput, OpenAIChatTool, OpenAIFunction } from './adapters/openai-chat.ts';
export type {
  OpenAIResponsesOutput,
  OpenAIResponsesTool,
  OpenAIToolSearch,
  OpenAIToolSearchOutput,
} from './adapters/openai-responses.ts';
export type {
  AdapterOptions,
  AgentCallOptions,
  AgentListOptions,
  AgentTool,
  Interrupt,
  InterruptAnswer,
  ToolCall,
  Toolkit,
  ToolkitEvent,
  ToolOutcome,
  ToolTurn,
} from './api.ts';
export type { ToolRanker } from './context/find-tools.ts';
export type {
  HostPoolOptions,
  ToolCallOrder,
  ToolContextSettings,
  ToolkitOptions,
  ToolResultOptions,
} from './options.ts';
export { createHostPool, type HostPool, type HostUser } from './pool.ts';
export type { MediaPart } from './results/true-media.ts';
export { lowerSchema } from './schemas/load-lowering.ts';
export type { LoweredSchema } from './schemas/lower-schema.ts';
export type { SchemaChange, SchemaRule, SchemaTarget } from './schemas/report.ts';
export type { ToolText } from './search/tool-text.ts';
export { createToolkit } from './toolkit.ts';
