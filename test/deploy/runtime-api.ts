/** Plays the service of AWS Lambda: a function URL in front, and the Runtime API from which a function takes its events. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Invocation {
  readonly id: string;
  readonly event: string;
  /** What the caller of the function URL waits for. */
  readonly answer: ServerResponse;
}

export interface LambdaService {
  readonly functionUrl: string;
  /** The value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly runtimeApi: string;
  /** The parts of the bodies that the function streamed, as they arrived. */
  readonly parts: string[];
  /** What the function reported as failed. */
  readonly failures: string[];
}

const version = '/2018-06-01/runtime';

async function listen(serve: RequestListener): Promise<string> {
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function startLambdaService(): Promise<LambdaService> {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  const idle: ((invocation: Invocation) => void)[] = [];
  const parts: string[] = [];
  const failures: string[] = [];
  let count = 0;

  const functionUrl = await listen(async (request, answer) => {
    const event = JSON.stringify(eventOf(request, await readText(request)));
    const invocation = { id: `invocation-${++count}`, event, answer };
    const next = idle.shift();
    if (next === undefined) waiting.push(invocation);
    else next(invocation);
  });

  async function receive(request: IncomingMessage, invocation: Invocation): Promise<void> {
    let head = Buffer.alloc(0);
    for await (const part of request as AsyncIterable<Buffer>) {
      if (invocation.answer.headersSent) write(invocation, part);
      else {
        head = Buffer.concat([head, part]);
        // The prelude is JSON, and ends with eight zeros.
        const end = head.indexOf(Buffer.alloc(8));
        if (end < 0) continue;
        const { statusCode, headers } = JSON.parse(head.subarray(0, end).toString()) as Prelude;
        invocation.answer.writeHead(statusCode, headers);
        invocation.answer.flushHeaders();
        write(invocation, head.subarray(end + 8));
      }
    }
    invocation.answer.end();
  }

  function write({ answer }: Invocation, part: Buffer): void {
    if (part.length === 0) return;
    parts.push(part.toString());
    answer.write(part);
  }

  const runtimeApi = await listen(async (request, response) => {
    const { url = '' } = request;
    if (url === `${version}/invocation/next`) {
      const invocation = waiting.shift() ?? (await new Promise<Invocation>((resolve) => idle.push(resolve)));
      running.set(invocation.id, invocation);
      const headers = {
        'content-type': 'application/json',
        'lambda-runtime-aws-request-id': invocation.id,
        'lambda-runtime-deadline-ms': String(Date.now() + 60_000),
        'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:local:000000000000:function:weather',
      };
      response.writeHead(200, headers).end(invocation.event);
      return;
    }
    const [, id = '', kind = ''] = new RegExp(`^${version}/invocation/([^/]+)/(response|error)$`).exec(url) ?? [];
    const invocation = running.get(id);
    if (kind === 'response' && invocation !== undefined)
      // A function that was killed ends its answer.
      await receive(request, invocation).catch(() => invocation.answer.destroy());
    else {
      failures.push(await readText(request));
      invocation?.answer.writeHead(502).end();
    }
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
  });
  return { functionUrl: `http://${functionUrl}/mcp`, runtimeApi, parts, failures };
}

interface Prelude {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The event of a function URL, version 2.0. */
function eventOf({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): object {
  const { pathname, search } = new URL(url, 'http://localhost');
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers,
    requestContext: { http: { method, path: pathname, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' } },
    ...(body !== '' && { body: Buffer.from(body).toString('base64') }),
    isBase64Encoded: body !== '',
  };
}
