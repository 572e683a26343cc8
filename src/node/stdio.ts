/** Everything a stdio server needs and nothing else, for a fast start. Importing it guards standard output before other modules can write there. */
import { guardStdout } from './stdio-server/stdout-guard.ts';

export { RpcError, TenonError, type TenonErrorCode } from '../jsonrpc/errors.ts';
export type { Logger } from '../jsonrpc/logger.ts';
export { type RpcErrorReason, rpcError } from '../protocol/errors.ts';
export type { BaseContext } from '../server/definition/context.ts';
export {
  content,
  inputRequired,
  promptResult,
  toolResult,
  urlElicitationRequired,
} from '../server/definition/returns.ts';
export type { ServerDefinition } from '../server/definition/server.ts';
export { serveExtension } from '../server/features/extension.ts';
export { prompt } from '../server/features/prompt.ts';
export { resource } from '../server/features/resource.ts';
export { resourceTemplate } from '../server/features/resource-template.ts';
export { tool } from '../server/features/tool.ts';
export { createServer, type Server, type ServerOptions } from '../server/server.ts';
export type { ServeStdioOptions, StdioLimits, StdioTimeouts } from './stdio-server/options.ts';
export { type StdioService, serveStdio } from './stdio-server/serve-stdio.ts';

guardStdout();

export type { Schema } from '../schema/standard.ts';
export type { Middleware } from '../server/definition/middleware.ts';
export { ToolError } from '../server/definition/tool-error.ts';
