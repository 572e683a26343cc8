/** The server: define tools, resources and prompts once, serve them to every revision. */
export type { Logger } from '../jsonrpc/logger.ts';
export type { Connection, ServeOptions } from './channel/serve-channel.ts';
export type { Askable, AskingContext, CallerFacts, Context } from './definition/context.ts';
export type {
  ExtensionContext,
  MethodHandler,
  MethodHandlers,
  NewsHandlers,
  ServedExtension,
  ServerExtensions,
  ServerNews,
  Teller,
} from './definition/extension.ts';
export type { ChainContext, Middleware, MiddlewareCall } from './definition/middleware.ts';
export type { Prompt, PromptFacts } from './definition/prompt.ts';
export type {
  Completed,
  Completer,
  Resource,
  ResourceBody,
  ResourceFacts,
  ResourcePart,
  Template,
  TemplateFacts,
} from './definition/resource.ts';
export {
  type Content,
  content,
  type NeedsInput,
  needsInput,
  pagesFirst,
  promptResult,
  result,
  type WholePrompt,
  type WholeResult,
} from './definition/returns.ts';
export type { Follower, Mountable, Mounts, Offer, ServerDefinition } from './definition/server.ts';
export type {
  AnswerTo,
  AskOptions,
  Elicited,
  ElicitQuestion,
  FormQuestion,
  PlainFormQuestion,
  Question,
  Sampled,
  SampleQuestion,
  UrlQuestion,
} from './definition/server-requests.ts';
export type { Tool, ToolFacts } from './definition/tool.ts';
export { serveExtension } from './features/extension.ts';
export { prompt } from './features/prompt.ts';
export { resource } from './features/resource.ts';
export { template } from './features/resource-template.ts';
export { tool } from './features/tool.ts';
export type { Authenticate, Unauthorized } from './http/admission/authentication.ts';
export { type FetchHandler, type FetchOptions, toFetch } from './http/fetch.ts';
export type { IdempotencyOptions } from './kernel/idempotency.ts';
export type { FailedCall } from './ports/call-limits.ts';
export type { Settled, Suspension } from './ports/call-outcome.ts';
export type { Change } from './ports/change-notifications.ts';
export type { Origin, Transport } from './ports/request-details.ts';
export type { Joined } from './registry/mount.ts';
export type { Draft } from './registry/offering.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
