/** HTTP+SSE on paths of its own, for clients of the first revision. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dropped } from '../server/http/dropped.ts';
import { createSseEndpoint, type SseEndpoint } from '../server/http/sse-endpoint.ts';
import type { Server } from '../server/server.ts';
import { answerPreflight, type NodeHandlerOptions } from './http-handler.ts';
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
  readonly counts: SseEndpoint['counts'];
  close: SseEndpoint['close'];
}

/** `dropped` counts what is dropped. */
export function createNodeSse(
  server: Pick<Server, 'accept'>,
  paths: SsePaths,
  options: NodeHandlerOptions,
  dropped: Dropped,
): NodeSse {
  const { cors = [], origins = [] } = options;
  const share = new Set(cors);
  const endpoint = createSseEndpoint(server, paths.messages, { ...options, origins: [...origins, ...cors] }, dropped);

  return {
    handle(request, response) {
      // Cut as text: a target may be anything that has no blank, and most of that is no address.
      const [pathname, query = ''] = (request.url ?? '').split('?', 2);
      if (pathname !== paths.stream && pathname !== paths.messages) return false;
      const { origin } = request.headers;
      if (origin !== undefined && share.has(origin) && answerPreflight(request, response, origin)) return true;
      if (pathname === paths.stream && request.method === 'GET') {
        endpoint.open(new NodeRequest(request, options), new NodeResponder(response));
        return true;
      }
      if (pathname !== paths.messages || request.method !== 'POST') return false;
      const key = new URLSearchParams(query).get('session') ?? '';
      endpoint.post(new NodeRequest(request, options), new NodeResponder(response), key);
      return true;
    },
    counts: endpoint.counts,
    close: endpoint.close,
  };
}
