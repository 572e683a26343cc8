/** The interface behind the option `auth` of an HTTP target: it gives requests their credentials and answers refusals. */

/** Gives the requests of clients their credentials. `oauth()` of `tenon/auth` returns one. */
export interface ClientAuth {
  /**
   * Called for every connection, with the URL of the server. `fetch` has the proxies and trusted authorities of the target,
   * where those are not the defaults: it is for requests to authorization servers.
   */
  forServer(url: string, fetch?: typeof globalThis.fetch): ServerAuth;
}

/** The credentials for one server. */
export interface ServerAuth {
  /**
   * The headers with the credentials of a request, in lower case; nothing if there are none yet. Returned at once where
   * no request has to be made for them.
   */
  headers(request: AuthRequestInfo): AuthHeaders | undefined | Promise<AuthHeaders | undefined>;
  /**
   * Called when the server refused a request with 401, or with 403 and `insufficient_scope`, or with such an error that
   * names scopes once its response had begun. The request has not run.
   * Resolves to whether it is sent again, with new headers; otherwise the refusal is the answer. Rejects with the error
   * of the call. Aborted when no request waits for it any more.
   */
  refused(refusal: AuthRefusal, signal: AbortSignal): Promise<boolean>;
  /** Called with the headers of every response, where it is defined. */
  received?(header: (name: string) => string | undefined): void;
}

/** The request that the credentials are for. */
export interface AuthRequestInfo {
  /** The HTTP method. */
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Its URL in full. */
  readonly url: string;
}

/** Headers with credentials, by names in lower case. */
export type AuthHeaders = Readonly<Record<string, string>>;

/** A response that asks for credentials, or for others. */
export interface AuthRefusal extends AuthRequestInfo {
  /** 401 or 403. */
  readonly status: number;
  /** The values of `WWW-Authenticate`, as they were received. */
  readonly challenges: readonly string[];
  /** A header of the response, by its name in lower case. */
  header(name: string): string | undefined;
  /** What the request does, such as `tools/call get_file`: attempts are counted for each operation. */
  readonly operation: string;
  /** The credentials that were refused. */
  readonly sent: AuthHeaders | undefined;
  /** What was done for this request before: at most one of each. It is the same list for all its refusals. */
  readonly done: string[];
}
