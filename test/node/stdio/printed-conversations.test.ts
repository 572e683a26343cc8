/** The conversations of the founding documents, exchanged as they are printed with a server over stdio and over HTTP. */
import { spawn } from 'node:child_process';
import { serveHttp } from 'tenon';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Json, open, send } from '../../kit/http/raw-http.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { eachLine } from '../../kit/process/raw-process.ts';
import {
  documentOf,
  type PrintedLine,
  packed,
  printedLines,
  printedNames,
} from '../../kit/samples/printed-conversations.ts';
import { exchanged, type PrintedClient } from '../../kit/samples/printed-exchange.ts';
import { createPrintedServer } from '../../kit/samples/printed-server.ts';

let file = '';
beforeAll(async () => {
  file = await bundledProgram('printed-server');
});

/** The messages of a server, until the client takes them. */
function arrived() {
  const messages: Json[] = [];
  let wake = (): void => {};
  return {
    put(message: Json): void {
      messages.push(message);
      wake();
    },
    /** The first that fits. */
    async take(fits: (message: Json) => boolean): Promise<Json> {
      for (;;) {
        const at = messages.findIndex(fits);
        if (at !== -1) return messages.splice(at, 1)[0] as Json;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

/** Progress of a task is sent at intervals: the document prints one of them. */
const isOtherProgress = (message: Json, like: Json): boolean =>
  message.method === 'notifications/tasks/progress' &&
  (like.method !== message.method || (message.params as Json).progress !== (like.params as Json).progress);

function overStdio(name: string): PrintedClient {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, PRINTED: name },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { put, take } = arrived();
  eachLine(child.stdout as NonNullable<typeof child.stdout>, (line) => put(JSON.parse(line) as Json));
  return {
    send: (message) => void child.stdin?.write(`${JSON.stringify(message)}\n`),
    // In the order in which they are printed.
    next: (like) => take((message) => !isOtherProgress(message, like)),
    cue: (message) => void child.send(message),
  };
}

async function overHttp(name: string): Promise<PrintedClient> {
  const { server, compat, cue } = createPrintedServer(name, printedLines(name));
  const http = await serveHttp(server, { port: 0, compat });
  onTestFinished(() => http.close());
  const { put, take } = arrived();
  const headers: Record<string, string> = {};
  const read = (stream: Awaited<ReturnType<typeof open>>): void => {
    if (stream.headers['content-type'] === 'application/json')
      return void stream.ended.then(() => put(JSON.parse(stream.text()) as Json));
    let seen = 0;
    const look = (): boolean => {
      const messages = stream.messages();
      for (const message of messages.slice(seen)) put(message as Json);
      seen = messages.length;
      return false;
    };
    stream.until(look, 'nothing').catch(() => undefined);
    onTestFinished(() => stream.cut());
  };
  return {
    async send(message) {
      if (message.method === 'initialize') {
        const answer = await send(http.url, { body: message });
        headers['mcp-session-id'] = String(answer.headers['mcp-session-id']);
        headers['mcp-protocol-version'] = ((answer.json as Json).result as { protocolVersion: string }).protocolVersion;
        put(answer.json as Json);
      } else if (message.method === 'notifications/initialized') {
        await send(http.url, { body: message, headers });
        read(await open(http.url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } }));
      } else read(await open(http.url, { body: message, headers }));
    },
    // A message of a call and one of no call come by different streams, so their order is not that of the document.
    next: (like) =>
      take((message) => {
        if (message.method !== like.method || isOtherProgress(message, like)) return false;
        return like.method !== undefined || message.id === like.id;
      }),
    cue,
  };
}

/**
 * A conversation as it has to be. The texts of errors are Tenon's own, except in `reference`, whose table has texts; and
 * `tasks/get` also shows the description of the task.
 */
const expected = (name: string): Json[] =>
  printedLines(name).map(({ message }) => {
    const { error, result } = message as { error?: { code: number; data: Json }; result?: Json };
    if (error !== undefined && !name.startsWith('reference')) {
      const data = Object.fromEntries(Object.keys(error.data).map((key) => [key, expect.any(String)]));
      return {
        ...message,
        error: { code: error.code, message: expect.any(String), data: expect.objectContaining(data) },
      };
    }
    const description = 'Process user records in batches';
    return result?.progress === undefined ? message : { ...message, result: { ...result, description } };
  });

it.each(printedNames)('are those of the document: %s', (name) => {
  const document = documentOf(name);
  if (document === undefined) console.error('not compared: the documents are not beside the repository');
  const text = packed(document ?? '');
  const isMissing = ({ message, isPrinted }: PrintedLine): boolean =>
    isPrinted && document !== undefined && !text.includes(packed(JSON.stringify(message)));
  expect(printedLines(name).filter(isMissing)).toEqual([]);
});

it.each(printedNames)('are exchanged as printed over stdio: %s [S19]', async (name) => {
  expect(await exchanged(printedLines(name), overStdio(name))).toEqual(expected(name));
});

it.each(printedNames)('are exchanged as printed over HTTP: %s [S20]', async (name) => {
  expect(await exchanged(printedLines(name), await overHttp(name))).toEqual(expected(name));
});
