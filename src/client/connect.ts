/** Connects to a server and gives a client: methods by name, the revision settled once. */
import type { RequestOptions } from '../jsonrpc/outbox.ts';
import { createPeer, type PeerOptions } from '../jsonrpc/peer.ts';
import type {
  CallToolResult,
  ClientCapabilities,
  Implementation,
  ReadResourceResult,
  Resource,
  ServerCapabilities,
  Tool,
} from '../protocol/generated/types/records.ts';
import type { Fields } from '../protocol/neutral.ts';
import type { RevisionId } from '../protocol/revisions/revisions.ts';
import type { Channel } from '../transport/channel.ts';
import { memoryChannels } from '../transport/memory.ts';
import { acceptable } from './negotiate.ts';
import { open } from './opening.ts';

/** Anything that serves a channel: a server in this process. */
export interface Acceptor {
  accept(channel: Channel): unknown;
}

export interface ConnectOptions extends Pick<PeerOptions, 'strict' | 'limits'> {
  readonly client?: Implementation;
  /** The revisions to accept; all of them by default, the newest first. */
  readonly revisions?: readonly RevisionId[];
  readonly timeoutMs?: number;
  /** Hears of messages that were dropped. */
  fault?(error: Error): void;
}

export interface Client {
  readonly revision: string;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  readonly tools: {
    list(): Promise<Tool[]>;
    call(name: string, given?: Fields, options?: RequestOptions): Promise<CallToolResult>;
  };
  readonly resources: {
    list(): Promise<Resource[]>;
    read(uri: string, options?: RequestOptions): Promise<ReadResourceResult>;
  };
  close(): void;
}

const capabilities: ClientCapabilities = {};

export async function connect(target: Channel | Acceptor, options: ConnectOptions = {}): Promise<Client> {
  const channel = 'accept' in target ? near(target) : target;
  const peer = createPeer(
    {
      send: (frame) => channel.send(frame),
      request: ({ id, method }) => (method === 'ping' ? peer.answer(id, {}) : peer.refuse(id, methodNotFound)),
      notification: () => {},
      fault: (error) => options.fault?.(error),
    },
    options,
  );
  channel.open({
    frame: peer.receive,
    closed: (reason) => peer.close(reason),
    fault: (error) => options.fault?.(error),
  });
  const client = options.client ?? { name: 'tenon', version: '0.1.0' };
  const timeoutMs = options.timeoutMs ?? 60_000;
  const opened = await open(
    peer,
    acceptable(options.revisions),
    { client, capabilities, logLevel: undefined },
    timeoutMs,
  ).catch((error) => {
    channel.close();
    throw error;
  });
  const { conversation, server, capabilities: offered, instructions } = opened;
  const ask = async (method: string, params?: Fields, own?: RequestOptions): Promise<Fields> =>
    (await conversation.call(method, params, { timeoutMs, ...own })).result;
  return {
    revision: conversation.revision.id,
    server,
    capabilities: offered,
    instructions,
    tools: {
      list: async () => (await ask('tools/list')).tools as Tool[],
      call: async (name, given = {}, own) =>
        (await ask('tools/call', { name, arguments: given }, own)) as unknown as CallToolResult,
    },
    resources: {
      list: async () => (await ask('resources/list')).resources as Resource[],
      read: async (uri, own) => (await ask('resources/read', { uri }, own)) as unknown as ReadResourceResult,
    },
    close: () => channel.close(),
  };
}

const methodNotFound = { code: -32601, message: 'Method not found' };

/** A server in this process is reached through a pair of channels, by the same text as any other. */
function near(acceptor: Acceptor): Channel {
  const [here, there] = memoryChannels();
  acceptor.accept(there);
  return here;
}
