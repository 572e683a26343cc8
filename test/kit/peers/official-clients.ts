/** The clients of the official SDKs behind one interface, with every message of the server recorded. */
import { Client as V2Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Transport } from '@modelcontextprotocol/client/stdio';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as v1 from '@modelcontextprotocol/sdk/types.js';
import type { Program } from './programs.ts';

export type Json = Record<string, unknown>;

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

/** The methods that both versions of the client have. */
type Verbs = Pick<
  V1Client,
  'complete' | 'getPrompt' | 'listPrompts' | 'listResources' | 'listResourceTemplates' | 'readResource' | 'listTools'
> &
  Pick<V1Client, 'close' | 'getInstructions' | 'getServerVersion' | 'ping' | 'setLoggingLevel'>;

export interface OfficialClient extends Verbs {
  readonly revision: string | undefined;
  /** The server's process id, or 0 without a process of its own. */
  readonly pid: number;
  /** All messages of the server. */
  readonly messages: readonly Json[];
  /** Errors of reading the server's messages. */
  readonly errors: readonly Error[];
  call(name: string, input?: Json, options?: CallOptions): Promise<Json>;
  /** Subscribes to one resource and, where the revision needs it, to the lists. */
  follow(uri: string): Promise<void>;
}

const info = { name: 'official', version: '1.0.0' };
const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
const filledIn = { action: 'accept' as const, content: { name: 'Ada' } };
const sampled = { role: 'assistant' as const, model: 'm1', content: { type: 'text' as const, text: 'Go on.' } };
const roots = { roots: [{ uri: 'file:///work' }] };

/** Records incoming messages. Both versions call a listener that was set before they connect. */
function listen(transport: Pick<Transport, 'onmessage' | 'onerror'>) {
  const messages: Json[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => void messages.push(message as unknown as Json);
  transport.onerror = (error) => void errors.push(error);
  return { messages, errors };
}

export async function openV1(program: Program): Promise<OfficialClient> {
  const transport = new V1Transport({ ...program, stderr: 'ignore' });
  const client = await connectV1(transport);
  return Object.assign(client, { pid: transport.pid ?? 0 });
}

export async function connectV1(transport: Transport): Promise<OfficialClient> {
  const client = new V1Client(info, { capabilities });
  client.setRequestHandler(v1.ElicitRequestSchema, () => filledIn);
  client.setRequestHandler(v1.CreateMessageRequestSchema, () => sampled);
  client.setRequestHandler(v1.ListRootsRequestSchema, () => roots);
  const received = listen(transport);
  await client.connect(transport);
  return Object.assign(client, received, {
    revision: (received.messages[0]?.result as Json | undefined)?.protocolVersion as string | undefined,
    pid: 0,
    call: (name: string, input: Json = {}, options: CallOptions = {}) =>
      client.callTool({ name, arguments: input }, undefined, options) as Promise<Json>,
    follow: async (uri: string) => void (await client.subscribeResource({ uri })),
  });
}

const levelKey = 'io.modelcontextprotocol/logLevel';

export async function openV2(program: Program, mode: VersionNegotiationMode): Promise<OfficialClient> {
  const transport = new V2Transport({ ...program, stderr: 'ignore' });
  const client = await connectV2(transport, mode);
  return Object.assign(client, { pid: transport.pid ?? 0 });
}

export async function connectV2(
  transport: Parameters<V2Client['connect']>[0],
  mode: VersionNegotiationMode,
): Promise<OfficialClient> {
  const client = new V2Client(info, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => filledIn);
  client.setRequestHandler('sampling/createMessage', () => sampled);
  client.setRequestHandler('roots/list', () => roots);
  const received = listen(transport as Pick<Transport, 'onmessage' | 'onerror'>);
  await client.connect(transport);
  const alone = client.getProtocolEra() === 'modern';
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  return Object.assign(client as unknown as Verbs, received, {
    revision: client.getNegotiatedProtocolVersion(),
    pid: 0,
    call: (name: string, input: Json = {}, options: CallOptions = {}) =>
      client.callTool(
        { name, arguments: input, ...(alone && { _meta: { [levelKey]: 'info' } }) },
        options,
      ) as Promise<Json>,
    follow: async (uri: string) =>
      void (await (alone
        ? client.listen({ ...lists, resourceSubscriptions: [uri] })
        : client.subscribeResource({ uri }))),
  });
}
