/** A load balancer for tests: it passes each request on to the next server in turn, and knows no sessions. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Balancer {
  readonly url: string;
  /** The servers that get requests, by their URLs. */
  targets: readonly string[];
  /** The requests so far: method, place of the server in the first list of targets, status. */
  readonly passed: string[];
}

export async function startBalancer(...all: readonly string[]): Promise<Balancer> {
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const { targets } = balancer;
    const target = targets[next++ % targets.length] ?? '';
    const { host } = new URL(target);
    const onward = request(target, { method: incoming.method, headers: { ...incoming.headers, host }, agent: false });
    onward.on('response', (response) => {
      balancer.passed.push(`${incoming.method} ${all.indexOf(target)} ${response.statusCode}`);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
      response.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { pathname } = new URL(all[0] ?? '');
  const balancer: Balancer = { url: `http://127.0.0.1:${port}${pathname}`, targets: all, passed: [] };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return balancer;
}
