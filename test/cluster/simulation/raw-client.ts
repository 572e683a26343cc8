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
import { get, type Message, post } from './raw-http.ts';
import { type RawSession, RawSessions, responseTo, sendAnswer } from './raw-session.ts';
import { topics } from './server.ts';
import { wait } from './virtual-time.ts';

export class RawProgram implements Program {
  readonly #plan: ProgramPlan;
  readonly #world: World;
  readonly #sessions: RawSessions;
  #calls = 0;
  open = 0;

  constructor(plan: ProgramPlan, world: World) {
    this.#plan = plan;
    this.#world = world;
    this.#sessions = new RawSessions({ ...plan, capabilities: { elicitation: {} } });
  }

  async listen(): Promise<void> {
    const { name: listener, principal } = this.#plan;
    const { recorder } = this.#world;
    let last: string | undefined;
    let used: RawSession | undefined;
    for (;;) {
      try {
        const session = await this.#sessions.current();
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
    const { status, events } = await post(session.endpoint, this.#sessions.message('resources/subscribe', { uri }));
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
      const session = await this.#sessions.current();
      const meta = { progressToken: request, ...(idempotencyKey && { [idempotencyMeta]: idempotencyKey }) };
      const params = { name: tool, arguments: { token, ...key, ...to }, _meta: meta };
      const { count, ...carried } = await this.#result(
        session,
        request,
        this.#sessions.message('tools/call', params),
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

  async #result(
    session: RawSession,
    request: string,
    message: Message & { readonly id: number },
    isStream: boolean,
  ): Promise<Carried> {
    const { recorder } = this.#world;
    const response = await responseTo(session, message, {
      received: (received, id) => this.#received(session, request, received, id),
      resumed: (after) => {
        if (isStream) recorder.record({ type: 'stream-resumed', stream: request, after });
      },
    });
    return outcomeOf(response);
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
    const isAccepted = await sendAnswer(session, { jsonrpc: '2.0', id: received.id, result });
    recorder.record({ type: 'answer', question, answer, ...(!isAccepted && { isCertain: false }) });
  }
}

function outcomeOf({ result, error }: Message): Carried {
  if (error !== undefined) throw new Failed(nameOfError(error as { readonly code: number }));
  return carriedIn(result);
}
