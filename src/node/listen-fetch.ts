/** Listens on loopback with a function from Request to Response. Foreign hosts and origins are refused. */
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultsOf } from '../lib/options/read-options.ts';
import { createGuard } from '../server/http/admission/host-and-origin.ts';
import type { Refused } from '../server/http/message.ts';
import { asRequest, sendAnswer } from './http-server/fetch-messages.ts';
import { listen } from './http-server/listener.ts';
import { NodeRequest } from './http-server/message.ts';
import { serveHttpTimeouts } from './http-server/options.table.ts';

/**
 * Bytes of a request to a replay or to `tenon record`.
 * @limit capture
 * @beyond 413
 */
const maxBodyBytes = 16 * 1024 * 1024;

export interface FetchService {
  readonly url: string;
  readonly port: number;
  /** Cuts all connections, and frees the port. */
  close(): Promise<void>;
}

type Answer = (request: Request) => Promise<Response>;

export async function listenFetch(answer: Answer, { port }: { readonly port: number }): Promise<FetchService> {
  const refuse = createGuard();
  const timeouts = defaultsOf(serveHttpTimeouts);
  const listener = await listen({ port, host: '127.0.0.1', timeouts }, (message, response) => {
    response.on('error', () => response.destroy());
    const request = new NodeRequest(message, maxBodyBytes);
    request.receive(
      (problem) => {
        const refused = problem ?? refuse(request);
        if (refused !== undefined) return sendRefusal(response, refused);
        void sendAnswer(response, () => answer(asRequest(message, request.body, response)));
      },
      () => undefined,
    );
  });
  const { port: actual } = listener.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/mcp`,
    port: actual,
    close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      listener.closeAllConnections();
      return closed;
    },
  };
}

function sendRefusal(response: ServerResponse, { status, text }: Refused): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}
