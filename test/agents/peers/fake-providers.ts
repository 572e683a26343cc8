/** The APIs of Anthropic and OpenAI as the guides need them: a model that asks for the forecast, then repeats what it got. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeProviders {
  /** Variables that send the SDKs here. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startFakeProviders(): Promise<FakeProviders> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const answer = request.url?.includes('/messages') ? anthropic(body) : openai(body);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** `weather__forecast` in a host, `forecast` of the server alone. */
const toolIn = (body: string): string => /"name":"((?:weather__)?forecast)"/.exec(body)?.[1] ?? 'none';

const textIn = (body: string): string | undefined => /"(Sunny[^"]*)"/.exec(body)?.[1];

function anthropic(body: string): object {
  const text = textIn(body);
  const call = { type: 'tool_use', id: 'call_1', name: toolIn(body), input: { city: 'Oslo' } };
  return {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'fake',
    content: [text === undefined ? call : { type: 'text', text }],
    stop_reason: text === undefined ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function openai(body: string): object {
  const text = textIn(body);
  const call = { type: 'function_call', call_id: 'call_1', name: toolIn(body), arguments: '{"city":"Oslo"}' };
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
  return { id: 'r', object: 'response', output: [text === undefined ? call : message] };
}
