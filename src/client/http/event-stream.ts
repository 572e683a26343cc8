/** An event stream over GET, opened again when it ends too early. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadline } from '../../lib/time/deadlines.ts';
import { createEventReader, type EventReader, type ServerSentEvent } from '../../transport/sse.ts';
import { retryAfterOf } from '../retry/backoff.ts';
import { contentFailure, networkFailure, statusFailure } from './port/failures.ts';
import { type HttpAddress, type HttpHeaders, type HttpReceiver, type HttpRequest, headerOf } from './port/port.ts';
import type { ResumePoint } from './post-response.ts';
import type { HttpContext } from './transport.ts';

export interface StreamPorts {
  headers(): Record<string, string>;
  /** The stream is open. `isResumed`: the server was sent the last event id, so nothing is missing. */
  opened?(isResumed: boolean): void;
  event(event: ServerSentEvent): void;
  /** Whether the stream is still needed: then it is opened again. */
  isWanted(): boolean;
  /** Called when it has ended and is no longer needed, with the error, if any. */
  ended?(error: TenonError | undefined): void;
  /** Called when the server rejects it with a status that waiting does not fix. `isResumed`: it was sent the last event id. */
  streamRefused(error: TenonError, status: number, isResumed: boolean): void;
}

type State =
  | { readonly at: 'waiting'; readonly deadline: Deadline }
  | { readonly at: 'requesting'; readonly request: HttpRequest | undefined }
  | {
      readonly at: 'refused';
      readonly request: HttpRequest | undefined;
      readonly error: TenonError;
      readonly status: number;
    }
  | {
      readonly at: 'reading';
      readonly request: HttpRequest | undefined;
      /** Created for the first bytes: many streams stay silent. */
      reader: EventReader | undefined;
      readonly since: number;
    }
  | { readonly at: 'closed' };

const unsent: State = { at: 'requesting', request: undefined };
const closed: State = { at: 'closed' };

/** A stream that was open for this long resets the backoff. */
const stableMs = 10_000;
/** The shortest wait, even if the server sends `retry: 0`. */
const minWaitMs = 100;
const firstWaitMs = 500;
const maxWaitMs = 30_000;

export class EventStream implements HttpReceiver {
  readonly #context: HttpContext;
  readonly #ports: StreamPorts;
  readonly #address: HttpAddress;
  #state: State = unsent;
  #lastEventId: string;
  #retryMs: number | undefined;
  /** Failed attempts in a row. */
  #failures = 0;

  /** `from` resumes a broken stream. */
  constructor(context: HttpContext, ports: StreamPorts, from?: ResumePoint, address: HttpAddress = context.address) {
    this.#context = context;
    this.#ports = ports;
    this.#address = address;
    this.#lastEventId = from?.lastEventId ?? '';
    this.#retryMs = from?.retryMs;
    if (from === undefined) this.#request();
    else this.#requestLater(undefined);
  }

  /** Closes a stream that is no longer needed. */
  abort(): void {
    const state = this.#state;
    this.#state = closed;
    if (state.at === 'waiting') this.#context.deadlines.cancel(state.deadline);
    else if (state.at !== 'closed') state.request?.abort();
  }

  #request(): void {
    const headers = this.#ports.headers();
    headers.accept = 'text/event-stream';
    if (this.#lastEventId !== '') headers['last-event-id'] = this.#lastEventId;
    const sent = { method: 'GET', address: this.#address, headers, isStream: true } as const;
    this.#state = { at: 'requesting', request: this.#context.port.request(sent, this) };
  }

  /** The delay of the server is the minimum; jitter spreads the clients. */
  #waitMs(error: TenonError | undefined): number {
    const jitter = this.#context.random();
    const grown = Math.min(firstWaitMs * 2 ** Math.min(this.#failures, 30), maxWaitMs);
    const serverDelayMs = Math.max(this.#retryMs ?? 0, retryAfterOf(error) ?? 0);
    if (serverDelayMs === 0 && this.#retryMs === undefined) return grown * (0.5 + jitter / 2);
    return Math.max(minWaitMs, serverDelayMs * (1 + jitter / 10), this.#failures === 0 ? 0 : grown * jitter);
  }

  #requestLater(error: TenonError | undefined): void {
    const deadline = this.#context.deadlines.add(this.#waitMs(error), () => {
      if (this.#ports.isWanted()) this.#request();
      else this.#state = closed;
    });
    this.#state = { at: 'waiting', deadline };
  }

  #retry(error: TenonError | undefined): void {
    if (this.#state.at === 'closed') return;
    if (!this.#ports.isWanted()) {
      this.abort();
      return this.#ports.ended?.(error);
    }
    this.#countFailure(this.#state, error);
    this.#requestLater(error);
  }

  /** A server that closes a stream after it has sent `retry` wants polling: that is no failure. */
  #countFailure(state: State, error: TenonError | undefined): void {
    const isReading = state.at === 'reading';
    const isPoll = isReading && error === undefined && this.#retryMs !== undefined;
    const hasHeld = isReading && this.#context.deadlines.now() - state.since >= stableMs;
    this.#failures = isPoll || hasHeld ? 0 : this.#failures + 1;
  }

  head(status: number, headers: HttpHeaders): void {
    if (this.#state.at !== 'requesting') return;
    const { request } = this.#state;
    const type = headerOf(headers, 'content-type');
    if (status === 200 && /^\s*text\/event-stream/i.test(type ?? '')) {
      this.#state = { at: 'reading', request, reader: undefined, since: this.#context.deadlines.now() };
      return this.#ports.opened?.(this.#lastEventId !== '');
    }
    const error =
      status >= 200 && status < 300
        ? contentFailure(this.#address, type, '')
        : statusFailure(this.#address, status, headers, '', this.#ports.headers().authorization !== undefined);
    this.#state = { at: 'refused', request, error, status };
  }

  #reader(): EventReader {
    return createEventReader({
      maxBytes: this.#context.maxBytes,
      event: (event) => {
        this.#failures = 0;
        if (event.id !== undefined) this.#lastEventId = event.id;
        this.#ports.event(event);
      },
      retry: (ms) => {
        this.#retryMs = ms;
      },
      onWarning: (error) => this.#context.warn(error),
    });
  }

  chunk(bytes: Uint8Array): void {
    if (this.#state.at !== 'reading') return;
    this.#state.reader ??= this.#reader();
    this.#state.reader.push(bytes);
  }

  end(): void {
    const state = this.#state;
    if (state.at === 'refused') return this.#refused(state.error, state.status);
    if (state.at === 'reading') state.reader?.end();
    this.#retry(undefined);
  }

  /** A busy server may accept the stream later; any other rejection is final. */
  #refused(error: TenonError, status: number): void {
    if (error.code === 'server-unavailable') return this.#retry(error);
    this.#state = closed;
    this.#ports.streamRefused(error, status, this.#lastEventId !== '');
  }

  broke(cause: unknown): void {
    const state = this.#state;
    if (state.at === 'reading') state.reader?.end();
    // No credentials: trying again would ask a person again.
    if (cause instanceof TenonError && state.at !== 'closed') return this.#refused(cause, 401);
    this.#retry(networkFailure(this.#address, cause));
  }
}
