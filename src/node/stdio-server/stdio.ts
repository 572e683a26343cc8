/** Everything a stdio server needs and nothing else, for a fast start. Importing it guards standard output before other modules can write there. */
import { guardStdout } from './stdout-guard.ts';

export { type ErrorObject, RpcError } from '../../jsonrpc/errors.ts';
export type { ConnectStep } from '../../lib/errors/connect-steps.ts';
export type { Logger } from '../../lib/errors/logger.ts';
export { TenonError, type TenonErrorCode, type TenonErrorOptions } from '../../lib/errors/tenon-error.ts';
export type {
  GuardedAction,
  GuardedCall,
  GuardedCaller,
  GuardedFeature,
  GuardedRequest,
  ServerGuard,
} from '../../ports/guard.ts';
export { type RpcErrorReason, rpcError } from '../../protocol/errors.ts';
export type { BaseContext, Context } from '../../server/definition/context.ts';
export {
  type Content,
  content,
  type InputRequired,
  inputRequired,
  type PromptResultInput,
  promptResult,
  toolResult,
  urlElicitationRequired,
  type WholePrompt,
  type WholeResult,
} from '../../server/definition/returns.ts';
export type { Mounts, NoMounts, Prompts, ServerDefinition, Tools } from '../../server/definition/server.ts';
export { prompt } from '../../server/features/prompt.ts';
export { resource } from '../../server/features/resource.ts';
export { resourceTemplate } from '../../server/features/resource-template.ts';
export { tool } from '../../server/features/tool.ts';
export type { ServerLike } from '../../server/internals.ts';
export { createServer, type Server, type ServerOptions } from '../../server/server.ts';
export type { Tap, TapEvent, TapHttp, TapOccurrence, TapSide, TapTransport } from '../../transport/tap.ts';
export type { ServeStdioOptions, StdioLimits, StdioTimeouts } from './options.ts';
export { type StdioService, serveStdio } from './serve-stdio.ts';

guardStdout();

export type { CallToolResult, ContentBlock, GetPromptResult } from '../../protocol/generated/types/records.ts';
export type { Schema } from '../../schema/standard.ts';
export type { Middleware } from '../../server/definition/middleware.ts';
export type {
  PromptDefinition,
  PromptHandler,
  PromptOptions,
  PromptReturn,
  StringArguments,
} from '../../server/definition/prompt.ts';
export type {
  ResourceDefinition,
  ResourceOptions,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from '../../server/definition/resource.ts';
export type { ServerRequest, UrlElicitation } from '../../server/definition/server-requests.ts';
export type { ToolDefinition, ToolHandler, ToolOptions, ToolReturn } from '../../server/definition/tool.ts';
export { ToolError } from '../../server/definition/tool-error.ts';
export type { MountedFeatures } from '../../server/registry/mount.ts';
export type * from '../../store/store.ts';
