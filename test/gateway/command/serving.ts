/** The gateway of a file, in this process, and servers for it. */
import {
  type Client,
  type ConnectOptions,
  connect,
  createServer,
  type HttpTarget,
  type ServeHttpOptions,
  serveHttp,
  tool,
} from 'tenon';
import { onTestFinished } from 'vitest';
import { type GatewayService, serveGateway } from '../../../src/gateway/serve-gateway.ts';
import type { Reloaded } from '../../../src/gateway/types.ts';
import { type Folder, folderWith } from '../config/file.ts';

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const { createServer: createNetServer } = await import('node:net');
  return new Promise((resolve) => {
    const server = createNetServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** A server at a URL with one tool, `echo`, which answers with its own name. */
export async function upstreamAt(name: string, options: Partial<ServeHttpOptions> = {}) {
  /** The headers of all requests, and all messages. */
  const seen: string[] = [];
  const server = createServer({
    name,
    version: '1.0.0',
    tools: {
      echo: tool({}, () => name),
      who: tool({}, (_args, { caller }) => caller.principal?.subject ?? 'no principal'),
    },
  });
  const { authenticate = () => ({ anonymous: true }) as const } = options;
  const service = await serveHttp(server, {
    port: 0,
    ...options,
    authenticate: (request) => {
      seen.push(JSON.stringify(request.raw.rawHeaders));
      return authenticate(request);
    },
    tap: (event) => void seen.push(JSON.stringify(event)),
  });
  onTestFinished(() => service.close());
  return { url: service.url, seen, service };
}

export interface Serving extends GatewayService {
  readonly folder: Folder;
  readonly warnings: string[];
  readonly reloaded: Reloaded[];
  rewrite(text: string): void;
}

export async function serving(text: string, files: Readonly<Record<string, string>> = {}): Promise<Serving> {
  const folder = folderWith({ ...files, 'gateway.yaml': text });
  const warnings: string[] = [];
  const reloaded: Reloaded[] = [];
  const service = await serveGateway(`${folder.path}/gateway.yaml`, {
    file: 'gateway.yaml',
    env: {},
    onWarning: ({ message }) => void warnings.push(message),
    onReload: (one) => void reloaded.push(one),
    pollMs: 20,
  });
  onTestFinished(() => service.close());
  const rewrite = (next: string): void => void folder.write('gateway.yaml', next);
  return { ...service, folder, warnings, reloaded, rewrite };
}

export async function clientOf(target: string | HttpTarget, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(typeof target === 'string' ? { url: target } : target, options);
  onTestFinished(() => client.close());
  return client;
}

export const textOf = (result: { readonly content?: unknown }): string =>
  ((result.content as readonly { readonly text?: string }[] | undefined) ?? []).map(({ text }) => text).join();
