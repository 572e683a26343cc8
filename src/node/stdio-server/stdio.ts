/** Everything a stdio server needs and nothing else, for a fast start. */

export { RpcError } from '../../jsonrpc/errors.ts';
export type { Logger } from '../../lib/errors/logger.ts';
export { TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';
export { type RpcErrorReason, rpcError } from '../../protocol/errors.ts';
export type { CallToolResult, ContentBlock, GetPromptResult } from '../../protocol/generated/types/records.ts';
export type { Schema } from '../../schema/standard.ts';
export type { Context } from '../../server/definition/context.ts';
export type { Middleware } from '../../server/definition/middleware.ts';
export type { PromptDefinition, PromptOptions } from '../../server/definition/prompt.ts';
export type {
  ResourceDefinition,
  ResourceOptions,
  ResourceTemplateDefinition,
  ResourceTemplateOptions,
} from '../../server/definition/resource.ts';
export {
  content,
  inputRequired,
  promptResult,
  toolResult,
  urlElicitationRequired,
} from '../../server/definition/returns.ts';
export type { ServerDefinition } from '../../server/definition/server.ts';
export type { ToolDefinition, ToolOptions } from '../../server/definition/tool.ts';
export { ToolError } from '../../server/definition/tool-error.ts';
export { prompt } from '../../server/features/prompt.ts';
export { resource } from '../../server/features/resource.ts';
export { resourceTemplate } from '../../server/features/resource-template.ts';
export { tool } from '../../server/features/tool.ts';
export type { ServerOptions } from '../../server/options.ts';
export { createServer, type Server } from '../../server/server.ts';
export type { ServeStdioOptions } from './options.ts';
export { type StdioService, serveStdio } from './serve-stdio.ts';
