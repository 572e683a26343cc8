/** A client that reads the wire itself: it breaks its streams, resumes them by `Last-Event-ID`, and sees which answers were accepted. */
import { RpcError, TenonError, type TenonErrorCode } from 'tenon';
import { call, initialize, notification } from '../../../kit/http/messages.ts';
import { type Json, type OpenResponse, open, type Sent } from '../../../kit/http/raw-http.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import type { ChaosClient, Surroundings } from '../run.ts';
import type { Operation, PlannedClient } from '../schedule.ts';
import { createCallRecorder, type ToolResult } from './recorded-calls.ts';

/** How often a stream is resumed, and a session begun, before the client gives a call up by name. */
const maxAttempts = 200;
const retryMs = 25;

type Headers = Readonly<Record<string, string>>;

export async function startRawClient(planned: PlannedClient, around: Surroundings): Promise<ChaosClient> {
  const { name, principal, revision } = planned;
  const { recorder, url } = around;
  const calls = createCallRecorder(around, planned);
  const own: Headers = { authorization: `Bearer ${principal}` };
  let session = await begin();
  let lastId = 0;

  async function begin(): Promise<Headers> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const greeting = await exchange({ body: initialize(revision, { elicitation: {} }), headers: own });
      const id = greeting?.headers['mcp-session-id'];
      if (greeting?.status === 200 && typeof id === 'string') {
        const headers = { ...own, 'mcp-session-id': id, 'mcp-protocol-version': revision };
        const ready = await exchange({ body: notification('notifications/initialized'), headers });
        if (ready?.status === 202) return headers;
      }
      await pause();
    }
    throw new TenonError('server-unavailable', `${name} could not begin a session.`);
  }

  /** A request whose answer is read to its end; `undefined` if the connection broke. */
  async function exchange(sent: Sent): Promise<OpenResponse | undefined> {
    try {
      const response = await open(url, sent);
      return (await response.ended) ? response : undefined;
    } catch {
      return undefined;
    }
  }

  interface Following {
    readonly token: string;
    readonly onProgress?: (n: number, owner: string, id: string | undefined) => void;
    readonly onResume?: (after: string) => void;
    /** Breaks the connection once, after this many messages. */
    readonly cutAfter?: number | undefined;
    readonly request: string;
  }

  /** Sends a call and follows its stream, over as many connections as it takes, to its result. */
  async function follow(tool: string, args: Json, following: Following): Promise<ToolResult> {
    const id = ++lastId;
    const body = call(tool, args, id, { progressToken: id });
    const reading = { last: undefined as string | undefined, seen: 0, cutAfter: following.cutAfter };
    const sent = await open(url, { body, headers: session }).catch(() => undefined);
    if (sent === undefined) throw new TenonError('outcome-unknown', 'The connection broke.');
    if (sent.status !== 200) {
      await sent.ended;
      throw await refused(sent);
    }
    let response: OpenResponse | undefined = sent;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const outcome = response && (await read(response, id, reading, following));
      if (outcome !== undefined) return outcome;
      if (reading.last === undefined) throw new TenonError('outcome-unknown', 'The connection broke before an event.');
      await pause();
      response = await resume(reading.last, following);
    }
    throw new TenonError('server-unavailable', 'The stream could not be resumed.');
  }

  async function resume(after: string, { onResume }: Following): Promise<OpenResponse | undefined> {
    const headers = { ...session, accept: 'text/event-stream', 'last-event-id': after };
    const response = await open(url, { method: 'GET', headers }).catch(() => undefined);
    if (response === undefined || response.status === 502 || response.status === 503) return undefined;
    if (response.status !== 200) throw await refused(response);
    onResume?.(after);
    return response;
  }

  interface Reading {
    last: string | undefined;
    seen: number;
    cutAfter: number | undefined;
  }

  /** Reads one connection: the result, or `undefined` when it ends before. */
  async function read(
    response: OpenResponse,
    id: number,
    reading: Reading,
    following: Following,
  ): Promise<ToolResult | undefined> {
    if (response.headers['content-type'] !== 'text/event-stream') {
      if (!(await response.ended)) return undefined;
      return resultIn(JSON.parse(response.text()) as Json);
    }
    let isOver = false;
    void response.ended.then(() => (isOver = true));
    for (let at = 0; ; ) {
      const events = response.events();
      const event = events[at];
      if (event === undefined) {
        if (isOver) return undefined;
        await nextEvent(response, at);
        continue;
      }
      at++;
      if (event.id !== undefined && event.id !== '') reading.last = event.id;
      if (event.data === '') continue;
      const message = JSON.parse(event.data) as Json;
      if (message.id === id) {
        around.note(`${following.request}: its outcome is event ${event.id}`);
        return resultIn(message);
      }
      if (message.method === 'notifications/progress') {
        const { progress, message: owner } = message.params as { progress: number; message: string };
        following.onProgress?.(progress, owner, event.id);
      }
      if (message.method === 'elicitation/create') await answer(message, following);
      if (++reading.seen === reading.cutAfter) {
        recorder.record({ type: 'network-fault', client: name, fault: 'cut' });
        response.cut();
        return undefined;
      }
    }
  }

  /** Waits for an event or the end of the connection. */
  async function nextEvent(response: OpenResponse, at: number): Promise<void> {
    const arrived = response.until(() => response.events().length > at, 'the next event');
    await withTimeout(Promise.race([response.ended, arrived]), 'an event', around.patienceMs).catch(() => {
      response.cut();
      throw new TenonError('timeout', 'The stream is silent.');
    });
  }

  async function answer(message: Json, { request }: Following): Promise<void> {
    const { message: text = '' } = message.params as { message?: string };
    const [token = '', owner = ''] = text.split(' ');
    const question = `${request}?${String(message.id)}`;
    recorder.record({ type: 'server-request', request, question, owner });
    const given = `answer to ${token}`;
    const result = { action: 'accept', content: { answer: given } };
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const response = await exchange({ body: { jsonrpc: '2.0', id: message.id, result }, headers: session });
      if (response?.status === 202) return recorder.record({ type: 'answer', question, answer: given });
      if (response !== undefined && response.status < 500) return;
      await pause();
    }
  }

  async function refused(response: OpenResponse): Promise<Error> {
    await response.ended;
    if (response.status === 404) session = await begin();
    const code = codesByStatus.get(response.status);
    if (code !== undefined) return new TenonError(code, `${response.status} ${response.text()}`);
    return new Error(`${response.status} ${response.text()}`);
  }

  return {
    name,
    async run(operation: Operation) {
      const token = calls.newToken();
      const isEffect = operation.kind === 'effect' || operation.kind === 'keyed' || operation.kind === 'hang';
      const record = calls.begin({ token, ...(isEffect && { hasEffect: true }) });
      const { request } = record;
      if (isEffect) return void (await record.outcome(() => follow('effect', { token }, { token, request })));
      if (operation.kind === 'ask')
        return void (await record.outcome(() => follow('ask', { token }, { token, request })));
      if (operation.kind === 'change') {
        const args = { token, topic: operation.topic };
        return void (await record.outcome(() => follow('change', args, { token, request })));
      }
      if (operation.kind !== 'stream') return;
      const { count, cutAfter } = operation;
      const stream = `${request} stream`;
      recorder.record({ type: 'stream-opened', stream, principal });
      const code = await record.outcome(() =>
        follow(
          'stream',
          { token, count },
          {
            token,
            request,
            cutAfter,
            onProgress: (n, owner, id) =>
              recorder.record({ type: 'stream-event', stream, n, owner, ...(id !== undefined && { id }) }),
            onResume: (after) => recorder.record({ type: 'stream-resumed', stream, after }),
          },
        ),
      );
      recorder.record({ type: 'stream-closed', stream, ...(code === undefined ? { count } : { code }) });
    },
    async close() {
      await exchange({ method: 'DELETE', headers: session });
    },
  };
}

const codesByStatus = new Map<number, TenonErrorCode>([
  [204, 'outcome-unknown'],
  [404, 'session-expired'],
  [502, 'outcome-unknown'],
  [503, 'server-unavailable'],
]);

/** The delay of a client between two attempts. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, retryMs));

function resultIn(message: Json): ToolResult {
  const { error, result } = message as {
    error?: { code: number; message: string; data?: { outcome?: string; code?: string } };
    result?: { isError?: boolean; content: readonly { text: string }[] };
  };
  if (error !== undefined) {
    if (error.data?.outcome === 'unknown') throw new TenonError('outcome-unknown', error.message);
    throw new RpcError(error.code, error.message, error.data);
  }
  const text = result?.content[0]?.text ?? '';
  if (result?.isError === true) throw new Error(text);
  return JSON.parse(text) as ToolResult;
}
