/** HTTP+SSE on paths of its own, for clients of the first revision. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { defaultLimits } from '../jsonrpc/limits.ts';
import { refuse } from '../server/http/message.ts';
import { createSseEndpoint, type SseEndpoint } from '../server/http/sse-endpoint.ts';
import type { Server } from '../server/server.ts';
import { readBody } from './http-body.ts';
import type { NodeHandlerOptions } from './http-handler.ts';
import { NodeRequest, NodeResponder } from './http-message.ts';

export interface SsePaths {
  /** Where a client opens its stream. */
  readonly stream: string;
  /** Where it posts its messages. */
  readonly messages: string;
}

export interface NodeSse {
  /** Serves a request that is for one of its paths; says whether it was. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  close: SseEndpoint['close'];
}

export function createNodeSse(server: Pick<Server, 'accept'>, paths: SsePaths, options: NodeHandlerOptions): NodeSse {
  const { cors = [], origins = [], maxBody = defaultLimits.maxCharacters } = options;
  const endpoint = createSseEndpoint(server, paths.messages, { ...options, origins: [...origins, ...cors] });

  function post(request: IncomingMessage, responder: NodeResponder, principal: string | undefined, key: string): void {
    readBody(request, maxBody, (body) => {
      if (typeof body !== 'string') return refuse(responder, body);
      endpoint.post(new NodeRequest(request, body, principal), responder, key);
    });
  }

  return {
    handle(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const principal = options.principal?.(request);
      if (pathname === paths.stream && request.method === 'GET') {
        endpoint.open(new NodeRequest(request, '', principal), new NodeResponder(response));
        return true;
      }
      if (pathname !== paths.messages || request.method !== 'POST') return false;
      post(request, new NodeResponder(response), principal, searchParams.get('session') ?? '');
      return true;
    },
    close: endpoint.close,
  };
}
