/** Ten real clients: those of both official SDKs and of Tenon, over each transport, in sessions and without. */
import { StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { connect, type ProtocolVersion } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { answers } from '../../kit/peers/conversation.ts';
import {
  connectV1,
  connectV2,
  type Json,
  type OfficialClient,
  openV1,
  openV2,
} from '../../kit/peers/official-clients.ts';
import type { Program } from '../../kit/peers/programs.ts';
import { exchangeVersion, isSession } from '../../kit/version-order.ts';

/** How a server is reached. */
export interface Reached {
  readonly program: Program;
  readonly url: string;
}

/** What each client does with a server. */
export interface UsedServer {
  tools(): Promise<string[]>;
  call(name: string, args: Json): Promise<Json>;
  close(): Promise<unknown>;
}

type Open = (server: Reached) => Promise<UsedServer>;

const newestSession = protocolVersions.findLast(isSession) as ProtocolVersion;

const official =
  (open: (server: Reached) => Promise<OfficialClient>): Open =>
  async (server) => {
    const client = await open(server);
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name).toSorted(),
      call: (name, args) => client.call(name, args),
      close: () => client.close(),
    };
  };

const tenon =
  (target: (server: Reached) => Program | string, version: ProtocolVersion): Open =>
  async (server) => {
    const to = target(server);
    const client = await connect(typeof to === 'string' ? to : { ...to, stderr: 'ignore' }, {
      handlers: answers,
      protocolVersions: [version],
    });
    return {
      tools: async () => (await client.tools.list().all()).map(({ name }) => name).toSorted(),
      call: (name, args) => client.tools.call(name, args) as Promise<Json>,
      close: () => client.close(),
    };
  };

const programOf = ({ program }: Reached): Program => program;
const urlOf = ({ url }: Reached): string => url;
const v2Http = ({ url }: Reached): never => new V2Http(new URL(url)) as never;

export const clients: Readonly<Record<string, Open>> = {
  'official v1, stdio': official(({ program }) => openV1(program)),
  'official v1, HTTP': official(({ url }) => connectV1(new V1Http(new URL(url)) as never)),
  'official v1, HTTP+SSE': official(({ url }) => connectV1(new SSEClientTransport(new URL('/sse', url)))),
  'official v2, stdio, sessions': official(({ program }) => openV2(program, 'legacy')),
  'official v2, stdio, newest version': official(({ program }) => openV2(program, 'auto')),
  'official v2, HTTP, sessions': official((server) => connectV2(v2Http(server), 'legacy')),
  'official v2, HTTP, newest version': official((server) => connectV2(v2Http(server), 'auto')),
  'Tenon, stdio, newest version': tenon(programOf, exchangeVersion),
  'Tenon, HTTP, sessions': tenon(urlOf, newestSession),
  'Tenon, HTTP, newest version': tenon(urlOf, exchangeVersion),
};
