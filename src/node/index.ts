/** The main entry point on Node: everything that runs anywhere, and servers and clients on stdio and HTTP. */

export * from '../index.ts';
export type { CommandTarget } from './child/command-target.ts';
export { connect, createClient, type HttpTarget, type Target as ConnectTarget } from './connect.ts';
export { taskFile } from './credentials/task-file.ts';
export { type NodeHandler, toNodeHandler } from './http-server/handler.ts';
export type { NodeHandlerOptions, ServeHttpOptions } from './http-server/options.ts';
export { type HttpService, serveHttp } from './http-server/serve-http.ts';
export { type OpenedStore, openStore } from './open-store.ts';
export type { OpenStoreOptions } from './open-store-options.ts';
export type { ServeStdioOptions } from './stdio-server/options.ts';
export { type StdioService, serveStdio } from './stdio-server/serve-stdio.ts';
export { startTaskWorker, type TaskWorker } from './task-worker.ts';
export type { TaskWorkerOptions } from './task-worker-options.ts';
