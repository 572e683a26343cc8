/** The main entry point on Node: everything that runs anywhere, and servers and clients on stdio and HTTP. */

export type { PreparedSignIn, SignIn } from '../auth/client/sign-in.ts';
export type { EncryptionOptions } from '../driver/encryption/options.ts';
export * from '../index.ts';
export type { ConsentStore, StoredConsent } from '../store/consents/consent-store.ts';
export type { CredentialStore, StoredCredential } from '../store/credentials/credential-store.ts';
export type { CommandTarget } from './child/command.ts';
export { connect, createClient, type HttpTarget, type Target as ConnectTarget } from './connect.ts';
export { type ConsentsFolderOptions, consentsFolder } from './credentials/consents-folder.ts';
export { type CredentialsFolderOptions, credentialsFolder } from './credentials/credentials-folder.ts';
export { type TaskFileOptions, taskFile } from './credentials/task-file.ts';
export { type TerminalSignInOptions, terminalSignIn } from './credentials/terminal-sign-in.ts';
export { tokenFile } from './credentials/token-file.ts';
export { type NodeHandler, toNodeHandler } from './http-server/handler.ts';
export type {
  NodeHandlerOptions,
  ServeHttpOptions,
  ServeHttpTimeouts,
  SsePaths,
} from './http-server/options.ts';
export {
  type HttpService,
  serveHttp,
} from './http-server/serve-http.ts';
export { type OpenedStore, type OpenStoreOptions, openStore } from './open-store.ts';
export type { ServeStdioOptions, StdioLimits, StdioTimeouts } from './stdio-server/options.ts';
export { type StdioService, serveStdio } from './stdio-server/serve-stdio.ts';
export { startTaskWorker, type TaskWorker, type TaskWorkerOptions, type TaskWorkerTimeouts } from './task-worker.ts';
