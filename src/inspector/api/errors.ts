/** How a call of the inspector fails. */

/**
 * What a page shows of a failure. `message` says what failed and why, `hint` what to do. All texts may contain what a
 * server has sent: show them as text.
 */
export interface ApiError {
  /** A code of `docs/errors.md`, or one of `ApiErrorCode`. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The step of connecting that failed, as `tenon doctor` names it. */
  readonly step?: string;
  /** The code and the data of an error response of the server. */
  readonly rpc?: { readonly code: number; readonly data?: unknown };
  /** Further facts, such as the searched places of a command. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The codes that only the inspector has. */
export type ApiErrorCode =
  /** 401. The token of the link is wrong: the process was restarted. Show where to find the new link. */
  | 'wrong-token'
  /** 401. There is no key, or it is not known any more: call `enter` with the token, or show where to find the link. */
  | 'wrong-key'
  /** 403. Host or Origin is not the one of the inspector. */
  | 'wrong-origin'
  /** 404. There is no such call. */
  | 'unknown-call'
  /** 400. The body is not JSON, or a field is missing or has the wrong type; the message names the field. */
  | 'invalid-request'
  /** 413. The body is larger than the limit of the call. */
  | 'body-too-large'
  /** 404. No client, run, question or recording has this id: it was removed. */
  | 'not-found'
  /** 409. A command, or variables that are sent, must be confirmed: call `prepare`, show it in full, and pass its nonce to `connect`. */
  | 'confirmation-needed'
  /** 409. More clients, runs or recordings than the limit: remove one. */
  | 'too-many'
  /** 409. The client is not connected. */
  | 'not-connected';

/** What `POST /api/NAME` answers, always as JSON. The status is 200 for a call that has run, also if it failed. */
export type ApiAnswer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly error: ApiError };
