/** HTTP as a client needs it: a request is sent, and its response is received in parts. */
import type { ReportedRefusal } from './reported-refusal.ts';

/** The address of requests, parsed once. */
export interface HttpAddress {
  readonly href: string;
  readonly origin: string;
  /** The path with its query. */
  readonly path: string;
}

export interface HttpSent {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly address: HttpAddress;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** A short request. It does not wait for a free connection: other requests may hold all of them. */
  readonly isBrief?: boolean;
  /** Its response stays open as long as it is read. */
  readonly isStream?: boolean;
}

/** Headers by their names in lower case. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Receives one response. Nothing is called from inside `request`, nor after it was aborted. */
export interface HttpReceiver {
  head(status: number, headers: HttpHeaders): void;
  chunk(bytes: Uint8Array): void;
  /** The response is complete. */
  end(): void;
  /** There is no response, or it broke off. */
  broke(error: unknown): void;
  /** Whether the request waits for credentials now, which a person may have to give. Also called when it is aborted meanwhile. */
  delayed?(isDelayed: boolean): void;
}

/** A request in progress. */
export interface HttpRequest {
  /** Cancels it; without effect once the response is complete. */
  abort(): void;
  /**
   * Answers a refusal that a message of the response reports. The rest of the response is dropped, and another one follows,
   * unless there are no other credentials: then `otherwise` is called. Absent where requests have none.
   */
  refused?(refusal: ReportedRefusal, otherwise: () => void): void;
}

export interface HttpPort {
  request(sent: HttpSent, receiver: HttpReceiver): HttpRequest;
  /** Sends requests to other servers by the same settings, also once the port is closed. Absent where those are the defaults of `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Closes idle connections. */
  close(): Promise<void>;
}

export function addressOf(url: URL): HttpAddress {
  return { href: url.href, origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** The value of a header; the first if there are several. */
export function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}
