/** The bridge for servers of the official MCP SDK on Node, which knows the call that the running code belongs to. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { bridgeWith, type FromOfficial } from '../../official/from-official.ts';
import type { CallPlace } from '../../official/types.ts';

export { fromOfficialTransport } from '../../official/from-official-transport.ts';
export type * from '../../official/index.ts';
export { sdkHandler } from '../../official/sdk-handler.ts';
export { toOfficialTransport } from '../../official/to-official-transport.ts';

const places = new AsyncLocalStorage<CallPlace>();

/**
 * Serves a server of the official MCP SDK, unchanged, as a Tenon server: with every protocol version, a store, a guard and
 * the inspector. Pass a function that creates your `McpServer` or `Server`: each session gets its own.
 *
 * ```ts
 * const server = await fromOfficial(() => createMcpServer());
 * await serveHttp(server);
 * ```
 */
export const fromOfficial: FromOfficial = bridgeWith({
  run: (place, run) => places.run(place, run),
  current: () => places.getStore(),
});
