/** A program that uses Tenon's own client. */
import { type Client, connect, RpcError, TenonError } from 'tenon/client';
import { isCutOffData } from '../../../src/protocol/error-data.ts';
import type { World } from './faults.ts';
import { type CallPlan, type Carried, carriedIn, Failed, type Program, type ProgramPlan } from './program.ts';
import { topics } from './server.ts';
import { wait } from './virtual-time.ts';

/** Tenon's own client, whose calls, progress, answers and changes are recorded. */
export class TenonProgram implements Program {
  readonly #plan: ProgramPlan;
  readonly #world: World;
  readonly #client: Promise<Client>;
  #calls = 0;
  /** Calls that have no outcome yet. */
  open = 0;
  /** Requests by their token, for the server requests that name it. */
  readonly #requests = new Map<string, string>();

  constructor(plan: ProgramPlan, world: World) {
    this.#plan = plan;
    this.#world = world;
    this.#client = this.#connect();
    this.#client.catch(() => {});
  }

  /** Tries until it is connected, as a program would. */
  async #connect(): Promise<Client> {
    const { name, principal, revision } = this.#plan;
    for (;;) {
      try {
        return await connect(
          { url: `http://${name}.test/mcp`, headers: { authorization: principal } },
          {
            protocolVersions: [revision],
            timeoutMs: 15_000,
            onWarning: () => {},
            handlers: { elicitForm: ({ message }) => this.#answer(message) },
          },
        );
      } catch {
        await wait(300);
      }
    }
  }

  #answer(message: string): { action: 'accept'; content: { answer: string } } {
    const { token, owner } = JSON.parse(message) as Carried;
    const { recorder } = this.#world;
    const request = this.#requests.get(token) ?? token;
    const answer = `answer to ${token}`;
    const question = `${request} ?`;
    recorder.record({ type: 'server-request', request, question, owner });
    // It may be lost on its way.
    recorder.record({ type: 'answer', question, answer, isCertain: false });
    return { action: 'accept', content: { answer } };
  }

  /** Listens to all topics; changes are recorded until the client closes. */
  async listen(): Promise<void> {
    const { name: listener, principal } = this.#plan;
    const { recorder } = this.#world;
    const client = await this.#client;
    for (;;) {
      try {
        const subscription = await client.subscribe({ resourceSubscriptions: topics });
        recorder.record({ type: 'listening', listener, principal, topics });
        for await (const change of subscription)
          if (change.type === 'resource') recorder.record({ type: 'change-received', listener, topic: change.uri });
      } catch {
        await wait(500);
      }
    }
  }

  /** Calls a tool; with an idempotency key, again with the same key while the outcome is unknown. */
  async call(plan: CallPlan): Promise<void> {
    const { name, principal } = this.#plan;
    const token =
      plan.idempotencyKey === undefined ? `${name}-${++this.#calls}` : `${principal}-${plan.idempotencyKey}`;
    const attempts = plan.idempotencyKey === undefined ? 1 : 3;
    this.open++;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const request = plan.idempotencyKey === undefined ? token : `${name}-${token}-${++this.#calls}`;
      if (await this.#attempt(request, token, plan)) break;
      await wait(200);
    }
    this.open--;
  }

  async #attempt(request: string, token: string, plan: CallPlan): Promise<boolean> {
    const { name: client, principal } = this.#plan;
    const { recorder, random } = this.#world;
    const { tool, idempotencyKey, cancelAfterMs } = plan;
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    this.#requests.set(token, request);
    recorder.record({ type: 'request', request, client, principal, token, ...key, hasEffect: tool === 'add' });
    const stream = tool === 'count' ? request : undefined;
    if (stream !== undefined) recorder.record({ type: 'stream-opened', stream, principal });
    const cancelled = cancelAfterMs === undefined ? undefined : new AbortController();
    if (cancelled !== undefined) setTimeout(() => cancelled.abort(), cancelAfterMs);
    try {
      const args = { token, ...key, ...(tool === 'count' && { to: 1 + random.below(8) }) };
      const connected = await this.#client;
      const result = await connected.tools.call(tool, args, {
        ...key,
        ...(cancelled && { signal: cancelled.signal }),
        ...(stream !== undefined && {
          onProgress: ({ progress: n, message: owner = '' }) =>
            recorder.record({ type: 'stream-event', stream, n, owner }),
        }),
      });
      const { count, ...carried } = carriedIn(result);
      if (stream !== undefined) recorder.record({ type: 'stream-closed', stream, ...(count && { count }) });
      recorder.record({ type: 'result', request, ...carried });
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (stream !== undefined) recorder.record({ type: 'stream-closed', stream, code });
      recorder.record({ type: 'error', request, code });
      return code === 'cancelled';
    }
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Failed) return error.code;
  if (error instanceof RpcError) return isCutOffData(error.data) ? 'outcome-unknown' : error.reason;
  return error instanceof TenonError ? error.code : 'unknown';
}
