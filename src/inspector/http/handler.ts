/** Answers the requests of the page: its files, its calls, and its stream of events. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rules } from '../../lib/options/option-rules.ts';
import type { ApiAnswer } from '../api/errors.ts';
import { apiError, InspectorError } from '../api-error.ts';
import type { AppSet } from '../apps/app-set.ts';
import type { Backend } from '../backend.ts';
import { checkRequest } from '../calls/call.ts';
import { callNamed, type KeylessCall } from '../calls/calls.ts';
import { position, text } from '../calls/field-rules.ts';
import type { Keys } from './keys.ts';
import { isPagePath, pageFile } from './page-files.ts';
import { safeHeaders } from './page-policy.ts';
import { admit, readJson, usualMaxBytes } from './request.ts';
import type { Tabs } from './tabs.ts';

export interface HandlerPorts {
  readonly backend: Backend;
  /** Their frames have an origin of their own. */
  readonly apps: AppSet;
  readonly keys: Keys;
  /** Absent if tabs do not outlive the process. */
  readonly tabs: Tabs | undefined;
  /** The folder of the built page. */
  readonly page: string;
}

/**
 * Streams of events, of all tabs.
 * @limit inspector
 * @beyond the stream is refused
 * @code too-many
 */
const maxStreams = 100;

/** The fields of the calls without a key. */
const keyless: Readonly<Record<KeylessCall, Rules>> = {
  enter: { token: text },
  greet: { tab: text, challenge: text },
  resume: { tab: text, challenge: text, proof: text },
};

const noTabs = (): InspectorError =>
  new InspectorError('wrong-key', 'Tabs do not outlive this program.', 'Open the link that was printed at the start.');

export interface InspectorHandler {
  /** False for paths that are not those of the inspector: then nothing was answered. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Ends all streams of events. */
  close(): void;
}

export function createHandler(ports: HandlerPorts): InspectorHandler {
  const open = new Set<ServerResponse>();
  return {
    handle(request, response) {
      const [path = ''] = (request.url ?? '').split('?');
      const isCall = path.startsWith('/api/');
      if (!isCall && !isPagePath(path)) return false;
      // Writing to a response that was closed emits an error, which ends the process without a listener.
      response.on('error', () => {});
      const answered = isCall ? call(path.slice('/api/'.length), request, response) : sendPage(path, request, response);
      answered.catch((error: unknown) => fail(response, error));
      return true;
    },
    close() {
      for (const response of open) response.end();
    },
  };

  async function sendPage(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    admit(request, false);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new InspectorError('unknown-call', 'The page is read by GET.');
    const file = await pageFile(ports.page, path, await ports.apps.origin());
    if (file === undefined) throw new InspectorError('unknown-call', 'The page has no such file.');
    response.writeHead(file.status, file.headers).end(request.method === 'HEAD' ? undefined : file.body);
  }

  async function call(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    admit(request, true);
    if (request.method !== 'POST') throw new InspectorError('unknown-call', 'Calls are sent by POST.');
    const { origin = '' } = request.headers;
    if (Object.hasOwn(keyless, name)) return enter(name as KeylessCall, origin, request, response);
    const tab = ports.keys.tabOf(request.headers.authorization);
    if (name === 'events') return sendEvents(await readJson(request, usualMaxBytes), response);
    const body = await readJson(request, callNamed(name).maxBytes ?? usualMaxBytes);
    return answer(response, () => ports.backend.call(name, body, { tab, origin }));
  }

  /** The calls of a tab that has no key of this process yet. */
  async function enter(
    name: KeylessCall,
    origin: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await readJson(request, usualMaxBytes);
    checkRequest(body, { required: keyless[name] });
    const { token = '', tab = '', challenge = '', proof = '' } = body as Readonly<Record<string, string>>;
    const { keys, tabs } = ports;
    if (name === 'greet') {
      if (tabs === undefined) throw noTabs();
      return answer(response, () => tabs.greet(tab, challenge, origin));
    }
    if (name === 'resume' && tabs === undefined) throw noTabs();
    return answer(response, async () => {
      if (name === 'resume') await tabs?.check(tab, challenge, proof, origin);
      const key = name === 'enter' ? keys.enter(token) : keys.issue();
      const own = await tabs?.issue();
      // Nothing is connected before a page is opened.
      await ports.backend.begin();
      return { key, ...(own && { tab: own }) };
    });
  }

  function sendEvents(body: unknown, response: ServerResponse): void {
    checkRequest(body, { required: { after: position } });
    if (open.size >= maxStreams) throw new InspectorError('too-many', `${maxStreams} streams of events are open.`);
    open.add(response);
    streamEvents(response, ports.backend, (body as { after: number }).after, () => open.delete(response));
  }
}

/** The status is 200 for a call that has run, also if it failed. */
async function answer(response: ServerResponse, run: () => unknown): Promise<void> {
  try {
    send(response, 200, { ok: true, result: await run() });
  } catch (error) {
    if (error instanceof InspectorError) throw error;
    send(response, 200, { ok: false, error: apiError(error) });
  }
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const status = error instanceof InspectorError ? error.status : 500;
  // The rest of a body that is refused is not read.
  response.shouldKeepAlive = false;
  send(response, status, { ok: false, error: apiError(error) });
}

function send(response: ServerResponse, status: number, answer: ApiAnswer<unknown>): void {
  response.writeHead(status, { ...safeHeaders, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(answer));
}

/**
 * Bytes that a page has not read.
 * @limit inspector
 * @beyond it is disconnected, and resumes by its last `seq`
 */
const maxWaitingBytes = 32 * 1024 * 1024;

/** So that a connection that was lost is noticed. */
const commentMs = 15_000;

/** Sends events as `text/event-stream`. `onEnd` is called once, when the page has disconnected. */
function streamEvents(response: ServerResponse, backend: Backend, after: number, onEnd: () => void): void {
  response.writeHead(200, { ...safeHeaders, 'content-type': 'text/event-stream' });
  // The page knows at once that it is connected.
  response.write(': connected\n\n');
  const comments = setInterval(() => response.write(': open\n\n'), commentMs);
  comments.unref();
  const stop = backend.listen(after, (event) => {
    response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    if (response.writableLength > maxWaitingBytes) response.destroy();
  });
  response.on('close', () => {
    clearInterval(comments);
    stop();
    onEnd();
  });
}
