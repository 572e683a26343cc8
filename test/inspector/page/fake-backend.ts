/** A backend of the inspector whose answers a test writes. It serves the built page with the content policy of the real one. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiCallName, ApiCalls, ApiError, InspectorChange, InspectorEvent } from '../../../src/inspector/api.ts';

const built = fileURLToPath(new URL('../../../dist/inspector', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; require-trusted-types-for 'script'; trusted-types inspector; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Answers by call. What has none is refused with `unknown-call`. */
export type Answers = {
  readonly [Name in ApiCallName]?: (
    request: ApiCalls[Name]['request'],
  ) => ApiCalls[Name]['result'] | Promise<ApiCalls[Name]['result']>;
};

export class Refusal extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

export interface FakeBackend {
  readonly url: string;
  /** Every call that came, with its body. */
  readonly calls: { readonly name: string; readonly body: unknown }[];
  /** Sends an event to all pages. */
  emit(change: InspectorChange): void;
  close(): void;
}

export async function startFakeBackend(answers: Answers): Promise<FakeBackend> {
  const streams = new Set<ServerResponse>();
  const events: InspectorEvent[] = [];
  const calls: { name: string; body: unknown }[] = [];
  let seq = 1000;

  const stream = (response: ServerResponse, after: number): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    for (const event of events) if (event.seq > after) response.write(frame(event));
    streams.add(response);
    response.on('close', () => streams.delete(response));
  };

  const answer = async (name: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    calls.push({ name, body });
    if (name === 'events') return stream(response, Number(body.after));
    const known = answers[name as ApiCallName] as ((request: unknown) => unknown) | undefined;
    try {
      if (known === undefined) throw new Refusal({ code: 'unknown-call', message: `There is no call ${name}.` });
      send(response, { ok: true, result: await known(body) });
    } catch (error) {
      const shown = error instanceof Refusal ? error.error : { code: 'broken', message: String(error) };
      send(response, { ok: false, error: shown }, shown.code.startsWith('wrong-') ? 401 : 200);
    }
  };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/api/')) void answer(pathname.slice(5), request, response);
    else serveFile(pathname === '/' ? '/index.html' : pathname, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    emit(change) {
      const event = { seq: ++seq, at: Date.now(), ...change } as InspectorEvent;
      events.push(event);
      for (const response of streams) response.write(frame(event));
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const frame = (event: InspectorEvent): string => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function serveFile(path: string, response: ServerResponse): void {
  try {
    const bytes = readFileSync(join(built, path));
    const headers = { 'content-type': types[extname(path)] ?? 'text/plain', 'content-security-policy': policy };
    response.writeHead(200, headers);
    response.end(bytes);
  } catch {
    response.writeHead(404);
    response.end('Not found');
  }
}
