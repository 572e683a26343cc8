/** Examples of types from a founding document, compiled with our types. Compiled by a test; never run. */

import type {
  JSONRPCError,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
} from 'tenon/protocol';
import { JSONRPC_VERSION, LATEST_PROTOCOL_VERSION } from 'tenon/protocol';
import type {
  ClientCapabilities,
  ClientRequest,
  Implementation,
  InitializeRequest,
  InitializeResult,
  Resource,
  ServerCapabilities,
  ServerNotification,
  Tool,
} from 'tenon/protocol/2025-06-18';
import type { DiscoverResult, ServerRequest } from 'tenon/protocol/2026-07-28';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(_claim?: T): void => {};

holds<Same<JSONRPCMessage, JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError>>();
export const constants: ['2.0', string] = [JSONRPC_VERSION, LATEST_PROTOCOL_VERSION];

export const initialize: InitializeRequest = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: { experimental: { tasks: {} }, roots: { listChanged: true }, sampling: {}, elicitation: {} },
    clientInfo: { name: 'example-client', version: '1.0.0' },
  },
};

export const result: InitializeResult = {
  protocolVersion: '2025-06-18',
  capabilities: {
    logging: {},
    completions: {},
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
  },
  serverInfo: { name: 'example-server', version: '1.0.0' },
  instructions: 'Optional usage instructions',
};

holds<Same<InitializeResult['capabilities'], ServerCapabilities>>();
holds<Same<InitializeRequest['params']['capabilities'], ClientCapabilities>>();
holds<Same<InitializeResult['serverInfo'], Implementation>>();

export const resource: Resource = { uri: 'file:///a', name: 'a', description: 'd', mimeType: 'text/plain', size: 1 };
export const tool: Tool = {
  name: 'add',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

/** A message narrows by its method. */
export function methodOf(message: ClientRequest | ServerNotification): string {
  if (message.method === 'tools/call') return message.params.name;
  if (message.method === 'notifications/resources/updated') return message.params.uri;
  return message.method;
}

holds<Same<ServerRequest, never>>();
export const versions = (found: DiscoverResult): string[] => found.supportedVersions;

// @ts-expect-error a tool has an input schema
export const noSchema: Tool = { name: 'x' };
// @ts-expect-error a request has a known method
export const noMethod: InitializeRequest['method'] = 'initialise';
