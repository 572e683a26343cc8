/** Extensions of the protocol: define one as a contract, serve it, use it from a client. */

export {
  type ClientExtension,
  type ClientExtensions,
  type ClientNotificationDefinition,
  type ServerNotificationHandlers,
  type UseExtensionOptions,
  useExtension,
} from '../client/api/extensions.ts';
export type { Principal } from '../ports/principal.ts';
export { appsExtension } from '../protocol/apps.ts';
export {
  defineExtension,
  defineMethod,
  defineNotification,
  defineVendorMethods,
  type ExtensionDefinition,
  type ExtensionOptions,
  type MethodDefinition,
  type MethodResult,
  type MethodResultInput,
  type Methods,
  type NotificationDefinition,
  type Notifications,
  type ResultTypes,
  type TypedResult,
  typedResult,
  type WhenUndeclared,
} from '../protocol/extensions/extension.ts';
export type * from '../protocol/generated/types/records.ts';
export type { CacheHint, Side } from '../protocol/neutral.ts';
export type { ProgressUpdate } from '../protocol/progress.ts';
export type {
  Input,
  JsonSchemaRequest,
  JsonSchemaTrait,
  Output,
  Schema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from '../schema/standard.ts';
export type {
  Caller,
  ClientFeature,
  CloseStreamOptions,
  Context,
  StepOptions,
  StepRun,
  TaskAttempt,
} from '../server/definition/context.ts';
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
} from '../server/definition/extension.ts';
export type { ResourceBody, ResourceDefinition, ResourceOptions, ResourcePart } from '../server/definition/resource.ts';
export type { InputRequired } from '../server/definition/returns.ts';
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
} from '../server/definition/server-requests.ts';
export { serveExtension } from '../server/features/extension.ts';
export { type AppCsp, type AppOptions, app, supportsApps } from './apps.ts';
export { serverSampling } from './sampling.ts';
