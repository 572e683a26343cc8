/** HTTP+SSE on its own paths, for clients of the first protocol version. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSharing } from '../../server/http/admission/cors.ts';
import { completeSettings } from '../../server/http/options.ts';
import type { QueuedOutput } from '../../server/http/reply/queued-output.ts';
import type { Dropped } from '../../server/http/reporting/dropped.ts';
import type { SessionCapacity } from '../../server/http/session/session-capacity.ts';
import { createSseEndpoint, type SseEndpoint } from '../../server/http/sse.ts';
import type { Server } from '../../server/server.ts';
import { answerPreflight, type NodeHandlerOptions } from './handler.ts';
import { NodeRequest, NodeResponder } from './message.ts';
import { pathOf } from './request-target.ts';

/** The paths of HTTP+SSE. */
export interface SsePaths {
  /** The path at which a client opens its stream, such as `/sse`. */
  readonly stream: string;
  /** The path to which a client posts its messages, such as `/messages`. */
  readonly messages: string;
}

export interface NodeSse {
  /** Serves a request for one of its paths; returns whether it was one. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  stats: SseEndpoint['stats'];
  close: SseEndpoint['close'];
}

/** `dropped` counts dropped messages, `capacity` limits streams, `queued` limits what waits for their clients. */
export function createNodeSse(
  server: Pick<Server, 'accept'>,
  paths: SsePaths,
  options: NodeHandlerOptions,
  dropped: Dropped,
  capacity: SessionCapacity,
  queued: QueuedOutput,
): NodeSse {
  const { maxBodyBytes } = completeSettings(options).limits;
  const sharedOrigin = createSharing(options);
  const endpoint = createSseEndpoint(server, paths.messages, options, dropped, capacity);

  return {
    handle(request, response) {
      const { url = '' } = request;
      const pathname = pathOf(url);
      if (pathname !== paths.stream && pathname !== paths.messages) return false;
      const seen = new NodeRequest(request, maxBodyBytes);
      const origin = sharedOrigin(seen);
      if (origin !== undefined && answerPreflight(request, response, origin)) return true;
      if (pathname === paths.stream && request.method === 'GET') {
        endpoint.open(seen, new NodeResponder(response, queued));
        return true;
      }
      if (pathname !== paths.messages || request.method !== 'POST') return false;
      const [, query = ''] = url.split('?', 2);
      const key = new URLSearchParams(query).get('session') ?? '';
      endpoint.post(seen, new NodeResponder(response, queued), key);
      return true;
    },
    stats: endpoint.stats,
    close: endpoint.close,
  };
}
