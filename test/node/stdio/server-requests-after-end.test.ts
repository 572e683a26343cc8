/** After the end of input no client can answer: server requests fail at once, and their calls are answered. */

import { PassThrough } from 'node:stream';
import { createServer, serveStdio, type TenonError, tool } from 'tenon';
import { expect, it } from 'vitest';
import { eachLine, handshake, type Json, resultText } from '../../kit/process/raw-process.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } } as const;
const elicitation = { message: 'Who are you?', requestedSchema };
const codeOf = (error: TenonError): string => error.code;

/** Longer than any test runs: a call that waits for shutdownMs makes the test fail. */
const shutdownMs = 600_000;

/** Serves a tool that elicits once `mayElicit` resolves, and calls it in a session. */
function serve(mayElicit: Promise<void>) {
  const elicit = tool({}, async (_input, ctx) => {
    ctx.log('error', 'begun');
    await mayElicit;
    return ctx.elicit('who', elicitation).then(() => 'answered', codeOf);
  });
  const server = createServer({ name: 'eliciting', version: '1', tools: { elicit } });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const service = serveStdio(server, { stdin: input, stdout: output, exitOnClose: false, timeouts: { shutdownMs } });
  const received: Json[] = [];
  let wake = (): void => {};
  eachLine(output, (line) => {
    received.push(JSON.parse(line) as Json);
    wake();
  });
  /** The first message of a method, or the response to the call. */
  async function first(method: string | undefined): Promise<Json> {
    for (;;) {
      const found = received.find((message) => message.method === method && (method !== undefined || message.id === 1));
      if (found !== undefined) return found;
      await withTimeout(new Promise<void>((resolve) => (wake = resolve)), `${method ?? 'the answer'}`);
    }
  }
  const hello = handshake('2025-06-18');
  const params = { ...(hello.params as Json), capabilities: { elicitation: {} } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'elicit', arguments: {} } };
  for (const message of [{ ...hello, params }, { jsonrpc: '2.0', method: 'notifications/initialized' }, call])
    input.write(`${JSON.stringify(message)}\n`);
  return { input, service, received, first };
}

it('An elicitation that waits at the end of input fails, and its call is answered before the server closes', async () => {
  const { input, service, first } = serve(Promise.resolve());
  await first('elicitation/create');
  input.end();
  expect(resultText(await first(undefined))).toBe('server-request-failed');
  expect(await withTimeout(service.closed, 'the end of the service')).toBeUndefined();
});

it('An elicitation after the end of input is not sent', async () => {
  let allow = (): void => {};
  const { input, service, received, first } = serve(new Promise((resolve) => (allow = resolve)));
  await first('notifications/message');
  input.end();
  input.once('close', allow);
  expect(resultText(await first(undefined))).toBe('server-request-failed');
  expect(await withTimeout(service.closed, 'the end of the service')).toBeUndefined();
  expect(received.filter(({ method }) => method === 'elicitation/create')).toEqual([]);
});
