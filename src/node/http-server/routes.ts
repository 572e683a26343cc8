/** Serves the paths that `authenticate` has beside the endpoint, such as those of an authorization server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHostCheck } from '../../server/http/admission/host-and-origin.ts';
import type { HttpEndpoint } from '../../server/http/endpoint.ts';
import { refuse } from '../../server/http/message.ts';
import type { HttpSettings } from '../../server/http/settings.ts';
import { releaseBody } from './body.ts';
import { NodeRequest, NodeResponder } from './message.ts';
import { pathWhere } from './request-target.ts';

/** Serves a request if it is for one of the paths; `undefined` if there are none. */
export function createRoutes(
  settings: HttpSettings,
  { gate, queued }: Pick<HttpEndpoint, 'gate' | 'queued'>,
): ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined {
  const routes = settings.authenticate?.routes;
  if (routes === undefined) return undefined;
  const isHost = createHostCheck(settings);
  return (request, response) => {
    const path = pathWhere(routes, request);
    if (path === undefined) return false;
    const seen = new NodeRequest(request, settings.limits.maxBodyBytes);
    const host = seen.header('host');
    if (host !== undefined && isHost(host)) {
      // What serves them reads small bodies at once, and knows nothing of clients that wait before they send theirs.
      releaseBody(request);
      routes.serve(path, request as never, response as never, gate.addressOf(seen));
    } else refuse(new NodeResponder(response, queued), foreignHost);
    return true;
  };
}

const foreignHost = { status: 403, text: 'The host is not allowed: add it to allowedHosts of the server' };
