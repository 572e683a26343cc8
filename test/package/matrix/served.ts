/** A server on the HTTP server of Bun or Deno. It prints its port. */
import { createServer, toFetchHandler, tool } from 'tenon';

const server = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    now: tool({}, () => 'sun'),
    count: tool({}, (_, ctx) => {
      ctx.reportProgress(1, 2);
      ctx.reportProgress(2, 2);
      return 'counted';
    }),
  },
});
const handler = toFetchHandler(server);

interface Listening {
  readonly port?: number;
  readonly addr?: { readonly port: number };
}
interface Runtime {
  readonly serve: (options: object) => Listening;
}

const { Bun: bun, Deno: deno } = globalThis as { readonly Bun?: Runtime; readonly Deno?: Runtime };
const settings = { port: 0, hostname: '127.0.0.1', fetch: handler, handler, onListen() {} };
const { port, addr } = (bun ?? deno)?.serve(settings) ?? {};
console.log(port ?? addr?.port);
