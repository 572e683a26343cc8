/** Messages between processes, by LISTEN and NOTIFY on a connection of their own. */
import type { Client } from 'pg';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { Subscribers } from '../store/subscribers.ts';
import type { Connections } from './connections.ts';
import { inSchema } from './schema.ts';

/**
 * Messages of this time are sent together: PostgreSQL holds one lock for all commits that contain a NOTIFY, so that
 * runs must not contain one. On ten connections, 260 commits a second had one, and 1,270 without.
 */
const collectMs = 5;
/** A payload of NOTIFY has less than 8000 bytes; what is longer becomes a row. */
const maxPayloadBytes = 7900;
/** How often the connection is tried: one that is dead without having been closed loses messages. */
const tryMs = 5000;
/** Without a connection, messages wait for it, up to this many characters; beyond it all nodes learn that some are lost. */
const maxWaitingChars = 8_000_000;
/** Payloads that wait while a row is read; beyond it they count as lost. */
const maxArrived = 1000;

type Message = readonly [topic: string, text: string];
/** What is sent: messages, the number of a row that has them, or nothing if some were lost. */
type Payload = readonly [sender: string, number: number, content?: Content];
type Content = readonly Message[] | string | undefined;

export class PostgresBus {
  readonly #connections: Connections;
  readonly #schema: string;
  readonly #onError: (cause: unknown) => void;
  readonly #subscribers = new Subscribers();
  readonly #self = crypto.randomUUID();
  readonly #awaited = new Map<string, () => void>();
  #client: Client | undefined;
  #waiting: Message[] = [];
  #waitingChars = 0;
  #hasLost = false;
  #sending: Promise<void> | undefined;
  #sent = 0;
  /** What arrived while a row is read: messages of one publisher stay in order. */
  #arrived: Content[] = [];
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trying: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(connections: Connections, schema: string, onError: (cause: unknown) => void) {
    this.#connections = connections;
    this.#schema = schema;
    this.#onError = onError;
  }

  /** Connects, and fails where messages do not arrive: a pooler lends another connection to every transaction. */
  async open(waitMs: number): Promise<void> {
    await this.#connect();
    const probe = crypto.randomUUID();
    const arrived = new Promise<boolean>((resolve) => this.#awaited.set(probe, () => resolve(true)));
    // Not one of the pool: their settings would stay in connections that a pooler lends to others.
    const sender = await this.#connections.connectAlone();
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.#connections.ask(sender, { text: notify }, [this.#channel, JSON.stringify([probe, 0, []])]);
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), waitMs);
      });
      if (!(await Promise.race([arrived, late]))) throw pooled();
    } finally {
      clearTimeout(timer);
      this.#awaited.delete(probe);
      await this.#connections.end(sender);
    }
    this.#trying = setInterval(() => this.#try(), tryMs).unref();
  }

  subscribe(topic: string, onMessage: (text: string) => void, onMissed?: () => void): () => void {
    const unsubscribe = this.#subscribers.add(topic, onMessage, onMissed);
    return () => void unsubscribe();
  }

  /** Subscribers of this process get it at once, those of others when it was sent. */
  publish(topic: string, text: string): void {
    this.#subscribers.deliver(topic, text);
    this.#waiting.push([topic, text]);
    this.#waitingChars += topic.length + text.length;
    if (this.#waitingChars > maxWaitingChars && this.#sending === undefined) this.#forget();
    this.#timer ??= setTimeout(() => this.#send(), collectMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#trying);
    this.#send();
    await this.#sending;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#client !== undefined) await this.#connections.end(this.#client);
  }

  get #channel(): string {
    return `tenon:${this.#schema}`;
  }

  async #connect(): Promise<void> {
    const client = await this.#connections.connectAlone();
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    client.once('end', () => this.#lost(client));
    try {
      await this.#connections.ask(client, { text: `LISTEN "${this.#channel}"` });
    } catch (error) {
      void this.#connections.end(client);
      throw error;
    }
    if (this.#isClosed) void this.#connections.end(client);
    else this.#client = client;
  }

  /** Messages that others sent since the connection was lost did not arrive. */
  async #connectAgain(attempts: number): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#connect();
    } catch {
      const ms = Math.min(2 ** attempts * 10, 1000) * (0.5 + Math.random());
      setTimeout(() => void this.#connectAgain(attempts + 1), ms).unref();
      return;
    }
    this.#subscribers.missed();
    this.#send();
  }

  #lost(client: Client): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#onError(lost());
    void this.#connectAgain(0);
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#hasLost = true;
  }

  #try(): void {
    if (this.#sending === undefined && this.#client !== undefined) this.#send('SELECT 1');
  }

  /** Sends what waits. One at a time, since a connection answers one statement after the other. */
  #send(first?: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll(first).finally(() => {
      this.#sending = undefined;
    });
  }

  /** One payload after the other. What fails stays, and is sent again with the next connection. */
  async #sendAll(first: string | undefined): Promise<void> {
    if (first !== undefined) await this.#ask(first);
    if (this.#hasLost) this.#hasLost = !(await this.#notify([this.#self, ++this.#sent]));
    while (this.#client !== undefined && this.#waiting.length > 0) {
      const batch = fitting(this.#waiting);
      if (!(await this.#notify([this.#self, ++this.#sent, batch]))) return;
      this.#waiting.splice(0, batch.length);
      for (const [topic, text] of batch) this.#waitingChars -= topic.length + text.length;
    }
  }

  #notify(payload: Payload): Promise<boolean> {
    const json = JSON.stringify(payload);
    if (Buffer.byteLength(json) <= maxPayloadBytes) return this.#ask(notify, [this.#channel, json]);
    return this.#ask(inSchema(notifyRow, this.#schema), [
      this.#channel,
      JSON.stringify(payload[2]),
      this.#self,
      this.#sent,
    ]);
  }

  /** Whether it was answered. A connection that does not answer is closed, and made again. */
  async #ask(text: string, values: readonly unknown[] = []): Promise<boolean> {
    const client = this.#client;
    if (client === undefined) return false;
    try {
      await this.#connections.ask(client, { text }, values);
      return true;
    } catch (cause) {
      this.#onError(cause);
      void this.#connections.end(client);
      return false;
    }
  }

  #receive(text: string): void {
    const [sender, , content] = JSON.parse(text) as Payload;
    this.#awaited.get(sender)?.();
    if (sender === this.#self || this.#awaited.has(sender)) return;
    if (this.#reading === undefined && typeof content !== 'string') return this.#deliver(content);
    if (this.#arrived.length < maxArrived) this.#arrived.push(content);
    else this.#arrived = [undefined];
    this.#reading ??= this.#deliverArrived();
  }

  async #deliverArrived(): Promise<void> {
    while (this.#arrived.length > 0) {
      const content = this.#arrived.shift();
      this.#deliver(typeof content === 'string' ? await this.#row(content) : content);
    }
    this.#reading = undefined;
  }

  #deliver(messages: readonly Message[] | undefined): void {
    if (messages === undefined) this.#subscribers.missed();
    else for (const [topic, message] of messages) this.#subscribers.deliver(topic, message);
  }

  /** The messages of a row, if they can be read. */
  async #row(id: string): Promise<readonly Message[] | undefined> {
    try {
      const select = inSchema('SELECT body FROM tenon.message WHERE id = $1', this.#schema);
      const [row] = await this.#connections.query({ text: select }, [id]);
      return row && (JSON.parse(row.body as string) as Message[]);
    } catch (cause) {
      this.#onError(cause);
      return undefined;
    }
  }
}

const notify = 'SELECT pg_notify($1, $2)';

const notifyRow = `WITH made AS (INSERT INTO tenon.message
  SELECT nextval('tenon.numbers'), $2, extract(epoch FROM clock_timestamp()) * 1000 RETURNING id)
  SELECT pg_notify($1, json_build_array($3::text, $4::int, id::text)::text) FROM made`;

/** As many of the first messages as one payload has room for; at least one. */
function fitting(messages: readonly Message[]): readonly Message[] {
  let bytes = 100;
  const end = messages.findIndex((message) => {
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    return bytes > maxPayloadBytes;
  });
  return messages.slice(0, end === -1 ? messages.length : Math.max(1, end));
}

const lost = (): TenonError =>
  new TenonError('store-failed', 'The connection to PostgreSQL for messages was lost.', {
    hint: 'It is made again in the background.',
  });

const pooled = (): TenonError =>
  new TenonError('store-failed', 'Messages of PostgreSQL (LISTEN) do not arrive on this connection.', {
    hint: 'A pooler in transaction mode is in between. Connect to PostgreSQL itself, or set pool_mode = session for this database.',
    details: { reason: 'pooler' },
  });
