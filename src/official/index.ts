/** The bridge for servers of the official MCP SDK: they are served by Tenon without a change. */
export { type FromOfficial, fromOfficial } from './from-official.ts';
export { fromOfficialTransport } from './from-official-transport.ts';
export type { InstanceOptions, OfficialOptions } from './options.ts';
export { sdkHandler } from './sdk-handler.ts';
export type {
  SdkContent,
  SdkElicitResult,
  SdkExtra,
  SdkMessage,
  SdkRequestOptions,
  SdkResult,
  SdkResultSchema,
  SdkToolHandler,
} from './sdk-types.ts';
export { toOfficialTransport } from './to-official-transport.ts';
export type { DroppedMessage, OfficialServer, OfficialSource, OfficialTransport } from './types.ts';
