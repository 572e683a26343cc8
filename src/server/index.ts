/** The server: define tools, resources and prompts once, serve them to every revision. */
export type { Logger } from '../jsonrpc/logger.ts';
export type { Change } from './changes.ts';
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
export { prompt, resource, template, tool } from './definition/makers.ts';
export type { Prompt, PromptFacts } from './definition/prompt.ts';
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
} from './definition/questions.ts';
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
export { serveExtension } from './definition/serve-extension.ts';
export type { Follower, Mountable, Mounts, Offer, ServerDefinition } from './definition/server.ts';
export type { Tool, ToolFacts } from './definition/tool.ts';
export type { Connection, ServeOptions } from './duplex.ts';
export type { Authenticate, Unauthorized } from './http/authentication.ts';
export { type FetchHandler, type FetchOptions, toFetch } from './http/fetch.ts';
export type { IdempotencyOptions } from './idempotency.ts';
export type { ChainContext, Middleware, MiddlewareCall, Settled, Suspension } from './middleware.ts';
export type { Joined } from './mount.ts';
export type { Draft } from './offering.ts';
export type { Origin, Transport } from './origin.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
export type { FailedCall } from './terms.ts';
