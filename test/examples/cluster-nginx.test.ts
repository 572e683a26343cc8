/** The nginx configuration of the cluster example, in front of nodes that the test controls. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNginx } from '../../examples/cluster/nginx.ts';
import { freePort, missingPrograms } from '../../examples/cluster/programs.ts';
import { root } from '../architecture/source-tree.ts';
import { deferred } from '../kit/deferred.ts';
import { requires } from '../kit/requires.ts';

async function behindNginx(serve: RequestListener): Promise<{ url: string; nodes: readonly Server[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-nginx-'));
  const nodes = await Promise.all(
    [1, 2, 3].map(async () => {
      const node = createServer(serve).listen(0, '127.0.0.1');
      await once(node, 'listening');
      return node;
    }),
  );
  const port = await freePort();
  const nginx = await startNginx(
    folder,
    port,
    nodes.map((node) => (node.address() as AddressInfo).port),
  );
  onTestFinished(async () => {
    await nginx.end('SIGTERM');
    for (const node of nodes) {
      node.closeAllConnections();
      node.close();
    }
    rmSync(folder, { recursive: true, force: true });
  });
  return { url: `http://127.0.0.1:${port}/mcp`, nodes };
}

const post = (url: string): Promise<Response> => fetch(url, { method: 'POST', body: '{}' });

describe('nginx of examples/cluster', () => {
  it('sends a POST to one node only, also if that node breaks the connection [S31]', async (context) => {
    requires(context, missingPrograms(['nginx']));
    let received = 0;
    const { url } = await behindNginx((request) => {
      request.resume().on('end', () => {
        received++;
        request.socket.destroy();
      });
    });
    expect((await post(url)).status).toBe(502);
    expect(received).toBe(1);
  });

  it('sends requests to the nodes in turn, and to the others when one does not listen', async (context) => {
    requires(context, missingPrograms(['nginx']));
    const { url, nodes } = await behindNginx((request, response) => {
      request.resume().on('end', () => response.end(String(request.socket.localPort)));
    });
    const ports = async (): Promise<Set<string>> => {
      const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => post(url)));
      return new Set(await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.text())));
    };
    expect((await ports()).size).toBe(3);
    nodes[1]?.closeAllConnections();
    nodes[1]?.close();
    expect((await ports()).size).toBe(2);
  });

  it('passes each event of a stream on at once', async (context) => {
    requires(context, missingPrograms(['nginx']));
    const more = deferred();
    const { url } = await behindNginx(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      await more.promise;
      response.end('data: second\n\n');
    });
    const reader = (await fetch(url)).body?.getReader();
    // The second event is written only after the first has arrived.
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('first');
    more.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('second');
  });

  it('is what the guide shows', () => {
    const configuration = readFileSync(join(root, 'examples/cluster/nginx.conf'), 'utf8');
    expect(readFileSync(join(root, 'docs/guide/scaling.md'), 'utf8')).toContain(`\`\`\`nginx\n${configuration}\`\`\``);
  });
});
