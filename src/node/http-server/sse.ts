/** HTTP+SSE on its own paths, for clients of the first protocol version. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSharing } from '../../server/http/admission/cors.ts';
import type { HttpEndpoint } from '../../server/http/endpoint.ts';
import type { HttpSettings } from '../../server/http/settings.ts';
import { createSseEndpoint, type SseEndpoint } from '../../server/http/sse-endpoint.ts';
import type { ServerLike } from '../../server/internals.ts';
import { answerPreflight } from './handler.ts';
import { NodeRequest, NodeResponder } from './message.ts';
import type { SsePaths } from './options.ts';
import { pathOf } from './request-target.ts';

export interface NodeSse {
  /** Serves a request for one of its paths; returns whether it was one. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  ping: SseEndpoint['ping'];
  stats: SseEndpoint['stats'];
  close: SseEndpoint['close'];
}

/** `gate` limits streams and calls, `queued` what waits for their clients; `dropped` counts dropped messages. */
export function createNodeSse(
  server: ServerLike,
  paths: SsePaths,
  settings: HttpSettings,
  { gate, dropped, queued, onRevoked }: Pick<HttpEndpoint, 'gate' | 'dropped' | 'queued' | 'onRevoked'>,
): NodeSse {
  const { maxBodyBytes } = settings.limits;
  const sharedOrigin = createSharing(settings);
  const endpoint = createSseEndpoint(server, paths.messages, gate, settings, dropped);
  onRevoked(endpoint.revoke);

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
    ping: endpoint.ping,
    stats: endpoint.stats,
    close: endpoint.close,
  };
}
