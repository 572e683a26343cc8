/** An HTTP server that can stop and start again at the same URL. It records the calls that it ran. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { ProtocolVersion } from 'tenon';
import { onTestFinished } from 'vitest';
import { answer } from '../../kit/http/scripted-server.ts';
import { listenAgain, stablePort } from './stable-port.ts';

type Json = Record<string, unknown>;

export interface RestartableServer {
  readonly url: string;
  /** The names of the tools that were called, in order. */
  readonly done: string[];
  /** Drops all connections, and forgets its sessions. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** `onCall` runs after every call. If it returns false, the call gets no response. */
export async function restartableServer(
  revision: ProtocolVersion,
  onCall: (restartableServer: RestartableServer) => unknown = () => true,
): Promise<RestartableServer> {
  const isAlone = revision === '2026-07-28';
  const complete = isAlone ? { resultType: 'complete' } : {};
  const capabilities = { tools: {} };
  const opening: Readonly<Record<string, Json>> = {
    initialize: { protocolVersion: revision, capabilities, serverInfo: { name: 'site', version: '1' } },
    'server/discover': { supportedVersions: [revision], capabilities, ttlMs: 0, cacheScope: 'private', ...complete },
  };
  let server: Server | undefined;
  const port = await stablePort();
  let sessions = 0;
  let session = '';

  const listen = (): Server =>
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        if (request.method !== 'POST') return void response.writeHead(request.method === 'GET' ? 405 : 204).end();
        const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params: { name: string } };
        const isKnown = isAlone || method === 'initialize' || request.headers['mcp-session-id'] === session;
        if (!isKnown) return void response.writeHead(404).end();
        if (id === undefined) return void response.writeHead(202).end();
        if (opening[method] !== undefined)
          return answer(response, id, opening[method], isAlone ? {} : { 'mcp-session-id': session });
        own.done.push(params.name);
        if (onCall(own) !== false)
          answer(response, id, { content: [{ type: 'text', text: params.name }], ...complete });
      });
    });

  const own: RestartableServer = {
    get url() {
      return `http://127.0.0.1:${port}/mcp`;
    },
    done: [],
    async stop() {
      const stopping = server;
      server = undefined;
      if (stopping === undefined) return;
      const closed = new Promise((resolve) => stopping.close(resolve));
      // A connection accepted at the last moment would keep the server open until its keep-alive timeout.
      stopping.on('connection', (socket) => socket.destroy());
      stopping.closeAllConnections();
      await closed;
    },
    async start() {
      session = `session-${++sessions}`;
      server = await listenAgain(async () => {
        const fresh = listen().listen(port, '127.0.0.1');
        await once(fresh, 'listening');
        return fresh;
      });
    },
  };
  await own.start();
  onTestFinished(() => own.stop());
  return own;
}
