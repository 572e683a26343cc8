/** `toApprovalListener()`: the page and the API of approvals for node:http. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Approvals } from '../guard/approvals/approvals.ts';
import { type ApprovalHandlerOptions, maxDecisionBytes, toApprovalHandler } from '../guard/approvals/handler.ts';
import { asRequest, sendAnswer } from './http-server/fetch-messages.ts';
import { NodeRequest } from './http-server/message.ts';

/**
 * The same as `toApprovalHandler`, for node:http. Returns false, and does nothing, for requests of other paths.
 *
 * ```ts
 * const decide = toApprovalListener(guarded.approvals, { authenticate: (request) => userOf(request) });
 * await serveHttp(server, {
 *   notFound: (request, response) => void (decide(request, response) || response.writeHead(404).end()),
 * });
 * ```
 */
export function toApprovalListener(
  approvals: Approvals,
  options: ApprovalHandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const handler = toApprovalHandler(approvals, options);
  // What `authenticate` throws is not for the browser.
  const answer = (request: Request): Promise<Response> =>
    handler(request).catch(() => new Response('Approvals cannot be shown now. Try again later.\n', { status: 500 }));
  const { path = '/approvals' } = options;
  return (message, response) => {
    const [pathname = ''] = (message.url ?? '').split('?');
    if (pathname !== path && !pathname.startsWith(`${path}/`)) return false;
    response.on('error', () => response.destroy());
    const request = new NodeRequest(message, maxDecisionBytes);
    request.receive(
      (problem) => {
        if (problem !== undefined) return void response.writeHead(problem.status).end();
        void sendAnswer(response, () => answer(asRequest(message, request.body, response)));
      },
      () => undefined,
    );
    return true;
  };
}
