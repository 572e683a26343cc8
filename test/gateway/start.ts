/** Starts gateways and clients of tests, and closes them when the test has finished. */
import {
  type Client,
  type ConnectOptions,
  connect,
  type ServeHttpOptions,
  type Server,
  serveHttp,
  type TenonError,
} from 'tenon';
import { onTestFinished } from 'vitest';
import { createGateway } from '../../src/gateway/index.ts';
import type { Gateway, GatewayOptions, UpstreamOptions, Upstreams } from '../../src/gateway/types.ts';

export interface Started {
  readonly gateway: Gateway;
  readonly warnings: TenonError[];
}

export function startGateway(upstreams: Upstreams, more: Omit<GatewayOptions, 'upstreams'> = {}): Started {
  const warnings: TenonError[] = [];
  const gateway = createGateway({ upstreams, onWarning: (warning) => void warnings.push(warning), ...more });
  onTestFinished(() => gateway.close());
  return { gateway, warnings };
}

export async function openClient(target: unknown, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target as never, { onWarning: () => {}, cache: false, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Serves over HTTP. The credentials of a request are the name of its principal. */
export async function served(server: Server, options: ServeHttpOptions = {}): Promise<string> {
  const service = await serveHttp(server, {
    ...options,
    port: 0,
    authenticate: ({ header }) => /^Bearer (.+)$/.exec(header('authorization') ?? '')?.[1] ?? { anonymous: true },
  });
  onTestFinished(() => service.close());
  return String(service.url);
}

/** A client with a principal. */
export const openAs = (principal: string, url: string, options: ConnectOptions = {}): Promise<Client> =>
  openClient({ url, headers: { authorization: `Bearer ${principal}` } }, options);

/** An upstream in this process that has another server for each connection, by its number. */
export function upstreamPer(create: (connection: number) => Server): {
  options: UpstreamOptions;
  opened: () => number;
} {
  let count = 0;
  const accept = (transport: never): unknown => create(++count).accept(transport);
  return { options: { server: { accept } as never }, opened: () => count };
}

export const textOf = (result: unknown): string => (result as { content: [{ text: string }] }).content[0].text;
