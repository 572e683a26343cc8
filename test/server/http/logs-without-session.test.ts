/** What a call without a session logs reaches the stream of `/mcp/events` of the same principal, and no other. */
import { createServer, serveHttp, tool } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';

async function serve() {
  const tools = {
    work: tool({}, (_given, { log, caller }) => {
      log('debug', 'too low');
      log('info', `work of ${caller.principal?.key}`);
      return 'done';
    }),
  };
  const server = createServer({ name: 's', version: '1', tools });
  const service = await serveHttp(server, {
    port: 0,
    authenticate: ({ header }) => header('x-user') ?? { anonymous: true },
  });
  onTestFinished(() => service.close());
  const headersOf = (user: string | undefined) => (user === undefined ? {} : { 'x-user': user });
  const call = async (user?: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work' } });
    const headers = { 'content-type': 'application/json', ...headersOf(user) };
    return (await fetch(service.url, { method: 'POST', headers, body })).status;
  };
  const listen = async (user?: string) => {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const response = await fetch(`${service.url}/events`, { headers: headersOf(user), signal: abort.signal });
    expect(response.status).toBe(200);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return async (until: string): Promise<string> => {
      while (!text.includes(until)) text += (await reader?.read())?.value ?? '';
      return text;
    };
  };
  return { server, call, listen };
}

it('a log message of a call goes to the stream of its principal, not to those of others or of anonymous clients [S13, S20]', async () => {
  const { server, call, listen } = await serve();
  const [ada, bob, anyone] = [await listen('ada'), await listen('bob'), await listen()];
  expect([await call('ada'), await call()]).toEqual([200, 200]);
  server.log('error', 'the end');
  expect(await ada('the end')).toContain('work of ada');
  expect(await ada('the end')).not.toContain('too low');
  for (const other of [bob, anyone]) expect(await other('the end')).not.toContain('work of');
});
