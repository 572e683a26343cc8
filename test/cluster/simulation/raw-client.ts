/** A client that speaks the protocol by hand, in a session: it sees every event with its ID, and resumes streams itself. */
import { idempotencyKey as idempotencyMeta } from '../../../src/protocol/meta-keys.ts';
import type { World } from './faults.ts';
import {
  type CallPlan,
  type Carried,
  carriedIn,
  Failed,
  nameOfError,
  type Program,
  type ProgramPlan,
} from './program.ts';
import { get, type Message, post, type RawEndpoint, type ReceivedEvent } from './raw-http.ts';
import { topics } from './server.ts';
import { wait } from './virtual-time.ts';

/** A session: its headers, while it is known to the server. */
interface RawSession {
  readonly endpoint: RawEndpoint;
  isLost: boolean;
}

export class RawProgram implements Program {
  readonly #plan: ProgramPlan;
  readonly #world: World;
  #session: Promise<RawSession> | undefined;
  #messages = 0;
  #calls = 0;
  open = 0;

  constructor(plan: ProgramPlan, world: World) {
    this.#plan = plan;
    this.#world = world;
  }

  /** The session in use, or a new one if the server does not know it any more. */
  async #current(): Promise<RawSession> {
    const session = await this.#session;
    if (session !== undefined && !session.isLost) return session;
    if (session === (await this.#session)) this.#session = this.#initialize();
    return this.#session as Promise<RawSession>;
  }

  async #initialize(): Promise<RawSession> {
    const { name, principal, revision } = this.#plan;
    const first = { url: `http://${name}.test/mcp`, headers: { authorization: principal } };
    const params = {
      protocolVersion: revision,
      capabilities: { elicitation: {} },
      clientInfo: { name, version: '1.0.0' },
    };
    for (;;) {
      try {
        const { sessionId, events } = await post(first, this.#request('initialize', params));
        for await (const _event of events);
        if (sessionId === undefined) throw new Failed('no session');
        const headers = { ...first.headers, 'mcp-session-id': sessionId, 'mcp-protocol-version': revision };
        const endpoint = { ...first, headers };
        await post(endpoint, { jsonrpc: '2.0', method: 'notifications/initialized' });
        return { endpoint, isLost: false };
      } catch {
        await wait(300);
      }
    }
  }

  #request(method: string, params: Message): Message & { readonly id: number } {
    return { jsonrpc: '2.0', id: ++this.#messages, method, params };
  }

  async listen(): Promise<void> {
    const { name: listener, principal } = this.#plan;
    const { recorder } = this.#world;
    let last: string | undefined;
    let used: RawSession | undefined;
    for (;;) {
      try {
        const session = await this.#current();
        if (session !== used) {
          last = undefined;
          for (const uri of topics) await this.#subscribe(session, uri);
        }
        const { status, events } = await get(session.endpoint, last);
        if (status === 404) session.isLost = true;
        if (status === 400) last = undefined;
        if (status !== 200) throw new Failed(`http-${status}`);
        // Without an event to continue after, changes before this moment may have been missed.
        if (session !== used || last === undefined) recorder.record({ type: 'listening', listener, principal, topics });
        used = session;
        for await (const { id, message } of events) {
          last = id ?? last;
          const uri = (message.params as { uri?: string } | undefined)?.uri;
          if (message.method === 'notifications/resources/updated' && uri !== undefined)
            recorder.record({ type: 'change-received', listener, topic: uri });
        }
      } catch {
        // Tried again below.
      }
      await wait(200);
    }
  }

  async #subscribe(session: RawSession, uri: string): Promise<void> {
    const { status, events } = await post(session.endpoint, this.#request('resources/subscribe', { uri }));
    if (status === 404) session.isLost = true;
    for await (const { message } of events) if ('result' in message) return;
    throw new Failed(`http-${status}`);
  }

  async call({ tool, idempotencyKey }: CallPlan): Promise<void> {
    const { name: client, principal } = this.#plan;
    const { recorder, random } = this.#world;
    const request = `${client}-${++this.#calls}`;
    const token = idempotencyKey === undefined ? request : `${principal}-${idempotencyKey}`;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    const to = tool === 'count' ? { to: 1 + random.below(8) } : {};
    const stream = tool === 'count' ? request : undefined;
    this.open++;
    recorder.record({ type: 'request', request, client, principal, token, ...key, hasEffect: tool === 'add' });
    if (stream !== undefined) recorder.record({ type: 'stream-opened', stream, principal });
    try {
      const session = await this.#current();
      const meta = { progressToken: request, ...(idempotencyKey && { [idempotencyMeta]: idempotencyKey }) };
      const params = { name: tool, arguments: { token, ...key, ...to }, _meta: meta };
      const { count, ...carried } = await this.#result(
        session,
        request,
        this.#request('tools/call', params),
        stream !== undefined,
      );
      if (stream !== undefined) recorder.record({ type: 'stream-closed', stream, ...(count && { count }) });
      recorder.record({ type: 'result', request, ...carried });
    } catch (error) {
      const code = error instanceof Failed ? error.code : 'outcome-unknown';
      if (stream !== undefined) recorder.record({ type: 'stream-closed', stream, code });
      recorder.record({ type: 'error', request, code });
    }
    this.open--;
  }

  /** The result of a call, over as many connections as it takes. */
  async #result(
    session: RawSession,
    request: string,
    message: Message & { readonly id: number },
    isStream: boolean,
  ): Promise<Carried> {
    let last: string | undefined;
    const read = async (events: AsyncIterable<ReceivedEvent>): Promise<Carried | undefined> => {
      for await (const { id, message: received } of events) {
        last = id ?? last;
        if (received.id === message.id && received.method === undefined) return outcomeOf(received);
        await this.#received(session, request, received, id);
      }
      return undefined;
    };
    const first = await post(session.endpoint, message);
    if (first.status !== 200) throw this.#refused(session, first.status);
    const whole = await read(first.events).catch(whenCut);
    if (whole !== undefined) return whole;
    for (let attempt = 0; attempt < 40; attempt++) {
      if (last === undefined) throw new Failed('outcome-unknown');
      await wait(250);
      try {
        const { status, events } = await get(session.endpoint, last);
        // A stream that ended without the result has no name for it.
        if (status === 204) throw new Failed('');
        if ([400, 404].includes(status)) throw this.#refused(session, status);
        if (status !== 200) continue;
        if (isStream) this.#world.recorder.record({ type: 'stream-resumed', stream: request, after: last });
        const rest = await read(events);
        if (rest !== undefined) return rest;
      } catch (error) {
        if (error instanceof Failed) throw error;
      }
    }
    throw new Failed('timeout');
  }

  #refused(session: RawSession, status: number): Failed {
    if (status === 404) session.isLost = true;
    return new Failed(status === 404 ? 'session-expired' : `http-${status}`);
  }

  /** Progress, or a request of the server. */
  async #received(session: RawSession, request: string, received: Message, id: string | undefined): Promise<void> {
    const { recorder } = this.#world;
    const params = (received.params ?? {}) as { progress?: number; message?: string };
    if (received.method === 'notifications/progress')
      recorder.record({
        type: 'stream-event',
        stream: request,
        ...(id !== undefined && { id }),
        n: params.progress ?? 0,
        owner: params.message ?? '',
      });
    if (received.method !== 'elicitation/create') return;
    const { token, owner } = JSON.parse(params.message ?? '{}') as Carried;
    const question = `${request} ${String(received.id)}`;
    const answer = `answer to ${token}`;
    recorder.record({ type: 'server-request', request, question, owner });
    const result = { action: 'accept', content: { answer } };
    const isAccepted = await this.#sendAnswer(session, { jsonrpc: '2.0', id: received.id, result });
    recorder.record({ type: 'answer', question, answer, ...(!isAccepted && { isCertain: false }) });
  }

  /** Sends an answer until a node has accepted it: a repeat has no effect. */
  async #sendAnswer({ endpoint }: RawSession, message: Message): Promise<boolean> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const { status } = (await post(endpoint, message).catch(whenCut)) ?? { status: 0 };
      if (status === 202) return true;
      if (status === 404 || status === 400) return false;
      await wait(300);
    }
    return false;
  }
}

/** What was cut is resumed, or its outcome is unknown. */
function whenCut(error: unknown): undefined {
  if (error instanceof Failed) throw error;
}

function outcomeOf({ result, error }: Message): Carried {
  if (error !== undefined) throw new Failed(nameOfError(error as { readonly code: number }));
  return carriedIn(result);
}
