/** Sessions by hand: a handshake that is tried until it succeeds, and requests whose streams are resumed where they were cut. */
import { Failed } from './program.ts';
import { get, type Message, post, type RawEndpoint, type ReceivedEvent } from './raw-http.ts';
import { wait } from './virtual-time.ts';

/** A session: its headers, while it is known to the server. */
export interface RawSession {
  readonly endpoint: RawEndpoint;
  isLost: boolean;
}

export interface SessionClient {
  readonly name: string;
  readonly principal: string;
  readonly revision: string;
  readonly capabilities: Message;
}

/** What a client does with what arrives before the response. */
export interface Receiver {
  received(message: Message, id: string | undefined): Promise<void>;
  resumed?(after: string): void;
}

export class RawSessions {
  readonly #client: SessionClient;
  #session: Promise<RawSession> | undefined;
  #messages = 0;

  constructor(client: SessionClient) {
    this.#client = client;
  }

  /** The session in use, or a new one if the server does not know it any more. */
  async current(): Promise<RawSession> {
    const session = await this.#session;
    if (session !== undefined && !session.isLost) return session;
    if (session === (await this.#session)) this.#session = this.#initialize();
    return this.#session as Promise<RawSession>;
  }

  message(method: string, params: Message): Message & { readonly id: number } {
    return { jsonrpc: '2.0', id: ++this.#messages, method, params };
  }

  async #initialize(): Promise<RawSession> {
    const { name, principal, revision, capabilities } = this.#client;
    const first = { url: `http://${name}.test/mcp`, headers: { authorization: principal } };
    const params = { protocolVersion: revision, capabilities, clientInfo: { name, version: '1.0.0' } };
    for (;;) {
      try {
        const { sessionId, events } = await post(first, this.message('initialize', params));
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
}

/** The response to a request, over as many connections as it takes. */
export async function responseTo(
  session: RawSession,
  message: Message & { readonly id: number },
  { received, resumed }: Receiver,
): Promise<Message> {
  let last: string | undefined;
  const read = async (events: AsyncIterable<ReceivedEvent>): Promise<Message | undefined> => {
    for await (const { id, message: arrived } of events) {
      // An empty ID clears the place, as everywhere in server-sent events.
      last = id === '' ? undefined : (id ?? last);
      if (arrived.id === message.id && arrived.method === undefined) return arrived;
      await received(arrived, id);
    }
    return undefined;
  };
  const first = await post(session.endpoint, message);
  if (first.status !== 200) throw refused(session, first.status);
  const whole = await read(first.events).catch(whenCut);
  if (whole !== undefined) return whole;
  for (let attempt = 0; attempt < 40; attempt++) {
    if (last === undefined) throw new Failed('outcome-unknown');
    await wait(250);
    try {
      const { status, events } = await get(session.endpoint, last);
      // A stream that ended without the result has no name for it.
      if (status === 204) throw new Failed('');
      if ([400, 404].includes(status)) throw refused(session, status);
      if (status !== 200) continue;
      resumed?.(last);
      const rest = await read(events);
      if (rest !== undefined) return rest;
    } catch (error) {
      if (error instanceof Failed) throw error;
    }
  }
  throw new Failed('timeout');
}

/** Sends an answer until a node has accepted it: a repeat has no effect. */
export async function sendAnswer({ endpoint }: RawSession, message: Message): Promise<boolean> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const { status } = (await post(endpoint, message).catch(whenCut)) ?? { status: 0 };
    if (status === 202) return true;
    if (status === 404 || status === 400) return false;
    await wait(300);
  }
  return false;
}

export function refused(session: RawSession, status: number): Failed {
  if (status === 404) session.isLost = true;
  return new Failed(status === 404 ? 'session-expired' : `http-${status}`);
}

/** What was cut is resumed, or its outcome is unknown. */
function whenCut(error: unknown): undefined {
  if (error instanceof Failed) throw error;
}
