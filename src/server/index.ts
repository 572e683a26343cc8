/** The server: define tools, resources and prompts once, serve them to every revision. */

export { RpcError } from '../jsonrpc/errors.ts';
export type { Logger } from '../lib/errors/logger.ts';
export { TenonError } from '../lib/errors/tenon-error.ts';
export type { ApprovableCall, ElicitedAnswer } from '../ports/approvable-call.ts';
export type { CallOutcome, InputRequiredOutcome, TaskOutcome } from '../ports/call-outcome.ts';
export type {
  GuardedAction,
  GuardedCall,
  GuardedCaller,
  GuardedFeature,
  GuardedRequest,
  GuardedTask,
  ServerGuard,
} from '../ports/guard.ts';
export type { Principal, PrincipalDetails } from '../ports/principal.ts';
export { rpcError } from '../protocol/errors.ts';
export type {
  BaseContext,
  Caller,
  ClientFeature,
  CloseStreamOptions,
  Context,
  RootsListChange,
  StepOptions,
  StepRun,
  TaskAttempt,
} from './definition/context.ts';
export type {
  ClientNotificationHandlers,
  ExtensionContext,
  MethodHandler,
  MethodHandlers,
  NotificationContext,
  ServeExtensionOptions,
  ServerExtension,
  ServerExtensions,
  ServerNotificationDefinition,
} from './definition/extension.ts';
export type { Middleware, MiddlewareCall, MiddlewareContext } from './definition/middleware.ts';
export type {
  PromptDefinition,
  PromptHandler,
  PromptOptions,
  PromptReturn,
  StringArguments,
} from './definition/prompt.ts';
export type {
  CompleteCallback,
  CompletionValues,
  FileRoot,
  ResourceBody,
  ResourceDefinition,
  ResourceOptions,
  ResourcePart,
  ResourceTemplateDefinition,
  ResourceTemplateHandler,
  ResourceTemplateOptions,
} from './definition/resource.ts';
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
} from './definition/returns.ts';
export type {
  Mounts,
  NoMounts,
  Prompts,
  Resources,
  ServerDefinition,
  ServerFeatures,
  Templates,
  Tools,
  TypedTemplates,
} from './definition/server.ts';
export type {
  Elicitation,
  ElicitOutcome,
  FormElicitation,
  PlainFormElicitation,
  SampleRequest,
  ServerRequest,
  ServerRequestOptions,
  ServerRequestResult,
  ServerRequestTaskOptions,
  UrlElicitation,
} from './definition/server-requests.ts';
export type {
  TaskOptions,
  TaskRetry,
  TaskSupport,
  ToolDefinition,
  ToolHandler,
  ToolOptions,
  ToolReturn,
} from './definition/tool.ts';
export { ToolError } from './definition/tool-error.ts';
export { prompt } from './features/prompt.ts';
export { resource } from './features/resource.ts';
export { resourceTemplate } from './features/resource-template.ts';
export { tool } from './features/tool.ts';
export type { PingedSessions, PingOptions } from './http/client-pings.ts';
export { type FetchHandler, type FetchHandlerOptions, toFetchHandler } from './http/fetch.ts';
export type { HttpHeaders, Refused } from './http/message.ts';
export type { HttpOptions, SessionOptions } from './http/options.ts';
export type { Dropped, HttpStats } from './http/reporting/dropped.ts';
export type { RevokedPrincipal } from './http/session/revocation.ts';
export type { ServerLike } from './internals.ts';
export type { ServerOptions } from './options.ts';
export type {
  Anonymous,
  AuthChallenge,
  Authenticate,
  AuthRequest,
  AuthResult,
  ChallengeDetails,
  PublicDocument,
} from './ports/authenticate.ts';
export type { ErrorContext } from './ports/call-limits.ts';
export type { ListChange } from './ports/change-notifications.ts';
export type { NetworkTransport, RequestDetails } from './ports/request-details.ts';
export type { Routes } from './ports/routes.ts';
export type { MountedFeatures } from './registry/mount.ts';
export type { FeaturesDraft } from './registry/offering.ts';
export { createServer, type Server } from './server.ts';
export type { AcceptOptions } from './transport/accept-options.ts';
export type { ConnectionStats, ServerConnection } from './transport/serve-transport.ts';
