/** The bridge for servers of the official MCP SDK: they are served by Tenon without a change. */
export { type FromOfficial, fromOfficial } from './from-official.ts';
export { fromOfficialTransport } from './from-official-transport.ts';
export type { InstanceOptions, OfficialOptions } from './options.ts';
export {
  type SdkContent,
  type SdkElicitResult,
  type SdkExtra,
  type SdkMessage,
  type SdkRequestOptions,
  type SdkResult,
  type SdkResultSchema,
  type SdkToolHandler,
  sdkHandler,
} from './sdk-handler.ts';
export { toOfficialTransport } from './to-official-transport.ts';
export type { DroppedMessage, OfficialServer, OfficialSource, OfficialTransport } from './types.ts';
