/** Agents: the tools of a host for models, and adapters for the frameworks that call them. */

export type {
  AgentCallOptions,
  AgentTool,
  Interrupt,
  InterruptAnswer,
  ToolCall,
  Toolkit,
  ToolkitEvent,
  ToolOutcome,
  ToolTurn,
} from './api.ts';
export type { ToolkitOptions } from './options.ts';
export { type LoweredSchema, lowerSchema } from './schemas/lower-schema.ts';
export type { SchemaChange, SchemaRule, SchemaTarget } from './schemas/report.ts';
export { createToolkit } from './toolkit.ts';
