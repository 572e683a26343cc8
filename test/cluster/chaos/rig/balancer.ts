/** A balancer without stickiness: each request goes to the next node that runs. It sends no request twice. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** `ports` are those of the nodes that run now. */
export async function startBalancer(ports: ReadonlyMap<string, number>): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((incoming, response) => {
    const running = [...ports.values()];
    const port = running[turn++ % running.length];
    if (port === undefined) return refuse(response);
    pass(incoming, response, port);
  });

  function pass(incoming: IncomingMessage, response: ServerResponse, port: number): void {
    const { method, url, headers } = incoming;
    const host = `127.0.0.1:${port}`;
    // A connection that was used before may break as the request is sent: then the node may have received it.
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers: { ...headers, host }, agent });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // Clients wait for the head of a stream, which may have no event for long.
      response.flushHeaders();
      answer.pipe(response);
      answer.once('error', () => response.destroy());
      answer.once('aborted', () => response.destroy());
    });
    outgoing.once('error', () => (response.headersSent ? response.destroy() : refuse(response)));
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function refuse(response: ServerResponse): void {
  response.writeHead(502, { 'content-type': 'text/plain' });
  response.end('No node answered\n');
}
