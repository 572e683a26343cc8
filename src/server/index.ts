/** The server: define tools, resources and prompts once, serve them to every revision. */
export type { Logger } from '../jsonrpc/logger.ts';
export type {
  AcceptOptions,
  ConnectionLimits,
  ConnectionStats,
  ConnectionTimeouts,
  ServerConnection,
} from './channel/serve-channel.ts';
export type { BaseContext, Caller, ClientFeature, Context } from './definition/context.ts';
export type {
  ClientNotificationHandlers,
  ExtensionContext,
  MethodHandler,
  MethodHandlers,
  NotificationContext,
  ServerExtension,
  ServerExtensions,
  ServerNotificationDefinition,
} from './definition/extension.ts';
export type { Middleware, MiddlewareCall, MiddlewareContext } from './definition/middleware.ts';
export type { PromptDefinition, PromptOptions } from './definition/prompt.ts';
export type {
  CompleteCallback,
  CompletionValues,
  ResourceBody,
  ResourceDefinition,
  ResourceOptions,
  ResourcePart,
  ResourceTemplateDefinition,
  ResourceTemplateOptions,
} from './definition/resource.ts';
export {
  type Content,
  content,
  type InputRequired,
  inputRequired,
  promptResult,
  toolResult,
  urlElicitationRequired,
  type WholePrompt,
  type WholeResult,
} from './definition/returns.ts';
export type { Follower, Mountable, Mounts, ServerDefinition, ServerFeatures } from './definition/server.ts';
export type {
  Elicitation,
  ElicitOutcome,
  FormElicitation,
  PlainFormElicitation,
  Sampled,
  SampleRequest,
  ServerRequest,
  ServerRequestOptions,
  ServerRequestResult,
  UrlElicitation,
} from './definition/server-requests.ts';
export type { ToolDefinition, ToolOptions } from './definition/tool.ts';
export { ToolError } from './definition/tool-error.ts';
export { serveExtension } from './features/extension.ts';
export { prompt } from './features/prompt.ts';
export { resource } from './features/resource.ts';
export { resourceTemplate } from './features/resource-template.ts';
export { tool } from './features/tool.ts';
export type {
  Anonymous,
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
} from './http/admission/authentication.ts';
export { type FetchHandler, type FetchHandlerOptions, toFetchHandler } from './http/fetch.ts';
export type { HttpLimits, HttpOptions, HttpTimeouts, SessionOptions } from './http/options.ts';
export type { HttpStats } from './http/reporting/dropped.ts';
export type { IdempotencyOptions } from './kernel/idempotency.ts';
export type { ErrorContext } from './ports/call-limits.ts';
export type { CallOutcome, InputRequiredOutcome } from './ports/call-outcome.ts';
export type { Change } from './ports/change-notifications.ts';
export type { NetworkTransport, RequestDetails } from './ports/request-details.ts';
export type { MountedFeatures } from './registry/mount.ts';
export type { FeaturesDraft } from './registry/offering.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
