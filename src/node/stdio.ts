/** Everything a stdio server needs and nothing else, for a fast start. Importing it guards standard output before other modules can write there. */
import { guardStdout } from './stdio-server/stdout-guard.ts';

export { type LocalErrorCode, RpcError, TenonError } from '../jsonrpc/errors.ts';
export type { Logger } from '../jsonrpc/logger.ts';
export { rpcError, type WireErrorName } from '../protocol/errors.ts';
export type { Context } from '../server/definition/context.ts';
export { content, needsInput, pagesFirst, promptResult, result } from '../server/definition/returns.ts';
export type { ServerDefinition } from '../server/definition/server.ts';
export { serveExtension } from '../server/features/extension.ts';
export { prompt } from '../server/features/prompt.ts';
export { resource } from '../server/features/resource.ts';
export { template } from '../server/features/resource-template.ts';
export { tool } from '../server/features/tool.ts';
export { createServer, type Server, type ServerOptions } from '../server/server.ts';
export type { ServeStdioOptions } from './stdio-server/options.ts';
export { type StdioService, serveStdio } from './stdio-server/serve-stdio.ts';

guardStdout();
