/** The protocol itself: types of its messages and records, tables of its versions and errors, URI templates, schemas. */

export type { ErrorObject } from '../jsonrpc/errors.ts';
export type { RequestId } from '../jsonrpc/message.ts';
export type { RequestOptions } from '../jsonrpc/outbox.ts';
export type { PeerCounts } from '../jsonrpc/peer-counts.ts';
export type { ConnectStep } from '../lib/errors/connect-steps.ts';
export { type TenonErrorCode, type TenonErrorOptions, tenonErrors } from '../lib/errors/tenon-error.ts';
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
  ClientDialect,
  CompatOptions,
  ConnectingClient,
  Dialect,
  ServerCompat,
  ServerDialect,
} from './dialects/compat-options.ts';
export { type ErrorCodeTable, errorCodeTables } from './dialects/error-codes.ts';
export { rpcErrorReasons } from './error-meanings.ts';
export type { ErrorNumbers, RpcErrorReason } from './errors.ts';
export { metaKeys } from './exchange-wire.ts';
export type {
  ExtensionDefinition,
  ExtensionOptions,
  MethodDefinition,
  MethodResult,
  MethodResultInput,
  Methods,
  NotificationDefinition,
  Notifications,
  ResultTypes,
  TypedResult,
  WhenUndeclared,
} from './extensions/extension.ts';
export type * from './generated/types/records.ts';
export type {
  CacheHint,
  Done as CompleteOutcome,
  InputRequest as InputRequestMessage,
  Outcome as RequestOutcome,
  Round as CallRound,
  Side,
} from './neutral.ts';
export type { ProgressUpdate, ReportProgress } from './progress.ts';
export type { RequiredUrl } from './required-urls.ts';
export { type ProtocolVersion, protocolVersions } from './revisions/revisions.ts';
export {
  type BaseMetadata,
  type Cursor,
  type InitializeRequest,
  JSONRPC_VERSION,
  type JSONRPCError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LATEST_PROTOCOL_VERSION,
  type Notification,
  type Request,
} from './specification-names.ts';
export { expandTemplate, type TemplateValue } from './uri-template/expand.ts';
export { createMatcher, type TemplateMatcher } from './uri-template/match.ts';
export {
  type Operator,
  parseUriTemplate,
  type TemplateExpression,
  type TemplateVariable,
  type UriTemplate,
} from './uri-template/parse.ts';
export type { TemplateVariables } from './uri-template/variables.ts';
