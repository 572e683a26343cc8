/** The bridge for servers of the official MCP SDK: they are served by Tenon without a change. */
import { bridgeWith, type FromOfficial } from './from-official.ts';

export type { FromOfficial } from './from-official.ts';
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

/**
 * Serves a server of the official MCP SDK, unchanged: `await fromOfficial(() => createMcpServer())` resolves with a Tenon
 * server. This platform cannot tell which call the running code belongs to: a request of a handler that names no call is
 * sent only while one call of its instance is in progress.
 */
export const fromOfficial: FromOfficial = bridgeWith(undefined);
