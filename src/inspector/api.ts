/** The HTTP API between the page of the inspector and its backend. Only types: the page imports them too.
 *
 * - The page is served at `/`, its files below `/assets/`. It is opened as `/?token=…`. It posts the token to `enter`
 *   once, removes it from the address, and stores the key of this tab in `sessionStorage`.
 * - A call is `POST /api/NAME` with a JSON object as its body, `Content-Type: application/json`, and
 *   `Authorization: Bearer KEY` (except `enter`). The answer is an `ApiAnswer`. `ApiCalls` lists all names.
 * - `POST /api/events` is the only call that answers with a stream: see `InspectorEvent`.
 * - To begin: `enter`, `overview`, `rows` of the recording `live` until `lastSeq`, then `events` after `overview.seq`.
 * - All tabs see the same clients, runs, questions and recordings. What one tab does is sent to the others as events.
 * - A link may name a target (`/#connect=…`), and the page may fill in its form; only a person's click calls `connect`.
 * - The page has this content policy: `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;
 *   media-src data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-src APPS;
 *   require-trusted-types-for 'script'; trusted-types inspector`.
 * - The built page is the folder `dist/inspector`: `index.html` and `assets/` with hashed names.
 */
import type { ToolQualityReport } from '../agents/quality/check-tools.ts';
import type { Task } from '../client/api/tasks.ts';
import type { Completion, CompletionReference, LoggingLevel, Root } from '../protocol/generated/types/records.ts';
import type { History } from '../protocol/history/state.ts';
import type { WaitingApproval } from './api/approvals.ts';
import type { OpenedApp } from './api/apps.ts';
import type { ApiConnectOptions, ApiTarget, ClientInfo, OfferedTarget, PreparedTarget } from './api/clients.ts';
import type { LogEvent } from './api/events.ts';
import type { Answer, Question } from './api/questions.ts';
import type { FeatureKind, FeatureLists, RunInfo, RunRequest, RunResult } from './api/runs.ts';
import type { EventText, NumbersBucket, Recording, Row } from './api/timeline.ts';
import type { TourStep } from './api/tour.ts';

export type { ToolQualityReport } from '../agents/quality/check-tools.ts';
export type { ToolFinding } from '../agents/quality/finding.ts';
export type { ConnectionHistory, History } from '../protocol/history/state.ts';
export type { WaitingApproval } from './api/approvals.ts';
export type { OpenedApp } from './api/apps.ts';
export type { ApiConnectOptions, ApiTarget, ClientInfo, OfferedTarget, PreparedTarget } from './api/clients.ts';
export type { ApiAnswer, ApiError } from './api/errors.ts';
export type { InspectorChange, InspectorEvent, LogEvent } from './api/events.ts';
export type { Answer, Question } from './api/questions.ts';
export type { FeatureKind, FeatureLists, RunInfo, RunRequest, RunResult } from './api/runs.ts';
export type { EventText, NumbersBucket, Recording, Row } from './api/timeline.ts';
export type { TourStep } from './api/tour.ts';

/** Everything that there is when a page is opened. */
export interface Overview {
  /** The version of Tenon. */
  readonly version: string;
  /** Another one for each process: what a page knows of an earlier one does not belong to this one. */
  readonly process: string;
  /** The protocol versions, newest first. */
  readonly protocolVersions: readonly string[];
  readonly clients: readonly ClientInfo[];
  /** The newest first. */
  readonly runs: readonly RunInfo[];
  readonly questions: readonly Question[];
  readonly recordings: readonly Recording[];
  /** The newest lines of the log, the oldest first. */
  readonly logs: readonly LogEvent[];
  /** What to open first: set if the inspector was started for a target or a capture. */
  readonly first?: { readonly client: string } | { readonly recording: string };
  /** A call that is filled in at the start, such as `weather` of the demo. */
  readonly suggestion?: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** Steps that lead through the server. */
  readonly tour?: readonly TourStep[];
  /** Set if only the servers of the program can be connected to, as in the playground. */
  readonly offeredOnly?: true;
  /** The name of the user who decides about approvals in the page, if it can. */
  readonly approver?: string;
  /** The last event that is part of this overview: pass it to `events`. */
  readonly seq: number;
}

/** What a tab stores to enter a process that was started again. The secret is never sent again. */
export interface TabCredentials {
  readonly id: string;
  readonly secret: string;
}

type Nothing = Readonly<Record<string, never>>;

/** Every call by its name: the body of the request, and `result` of the answer. */
export interface ApiCalls {
  /**
   * Exchanges the token of the link for a key of this tab. This call and the next two need no key. `tab` is what the tab
   * stores to enter a later process: by `greet` that process proves that it may be entered, then by `resume` the tab does.
   */
  enter: { request: { readonly token: string }; result: { readonly key: string; readonly tab?: TabCredentials } };
  /** `proof` is the HMAC-SHA-256 with the tab's secret of `process ORIGIN TAB CHALLENGE`, in base64url. */
  greet: {
    request: { readonly tab: string; readonly challenge: string };
    result: { readonly proof: string; readonly challenge: string };
  };
  /** `proof` is the HMAC-SHA-256 of `tab ORIGIN TAB CHALLENGE`, with the challenge of the answer to `greet`. */
  resume: {
    request: { readonly tab: string; readonly challenge: string; readonly proof: string };
    result: { readonly key: string; readonly tab: TabCredentials };
  };
  overview: { request: Nothing; result: Overview };

  /** Servers that can be chosen: those of the program, and those of configuration files. Starts nothing. */
  offered: { request: Nothing; result: { readonly targets: readonly OfferedTarget[] } };
  /** Checks a target, and returns what connecting would do. Starts nothing. */
  prepare: { request: { readonly target: ApiTarget }; result: PreparedTarget };
  /**
   * Opens a client. Returns at once: events `client` have its state, `auth` the steps of a sign-in, and
   * `ClientInfo.error` why it failed. A target that starts a process or sends variables needs the nonce of `prepare`; without it, it fails
   * with `confirmation-needed`.
   */
  connect: {
    request: { readonly target: ApiTarget; readonly options?: ApiConnectOptions; readonly nonce?: string };
    result: { readonly client: ClientInfo };
  };
  /** Opens another client with the same target, such as with another protocol version. The first one stays. */
  duplicate: {
    request: { readonly client: string; readonly options?: ApiConnectOptions };
    result: { readonly client: ClientInfo };
  };
  /** Connects a client that failed or was disconnected again. */
  reconnect: { request: { readonly client: string }; result: { readonly client: ClientInfo } };
  /** Closes the connection; the client stays in the list. */
  disconnect: { request: { readonly client: string }; result: { readonly client: ClientInfo } };
  /** Closes the connection and removes the client. Its rows stay in the timeline. */
  remove: { request: { readonly client: string }; result: Nothing };

  /** A whole list of the server. By default from the client's cache; `reload` fetches it. */
  list: {
    request: { readonly client: string; readonly kind: FeatureKind; readonly reload?: boolean };
    result: { readonly kind: FeatureKind; readonly items: FeatureLists[FeatureKind] };
  };
  /** What the tools that were last listed cost a model, and what models will trip over. */
  quality: { request: { readonly client: string }; result: ToolQualityReport };
  /** Completes an argument of a prompt, or a variable of a resource template. */
  complete: {
    request: {
      readonly client: string;
      readonly ref: CompletionReference;
      readonly argument: { readonly name: string; readonly value: string };
      readonly context?: Readonly<Record<string, string>>;
    };
    result: Completion;
  };
  /** Validates arguments against the tool's input schema. Paths are JSON pointers. */
  validate: {
    request: { readonly client: string; readonly tool: string; readonly arguments: unknown };
    result: { readonly problems: readonly { readonly path: string; readonly message: string }[] };
  };
  /** Starts a call. Returns at once: events `run` have its progress and its end. */
  run: { request: { readonly client: string; readonly request: RunRequest }; result: { readonly run: RunInfo } };
  cancel: { request: { readonly run: string }; result: Nothing };
  /** The result of a run that is done; without it while it runs. */
  result: { request: { readonly run: string }; result: RunResult };
  /** Removes runs from the history; running ones are cancelled first. */
  forget: { request: { readonly runs: readonly string[] }; result: Nothing };

  /** Answers a question. Fails with `not-found` if it was answered or withdrawn meanwhile. */
  answer: { request: { readonly question: string; readonly answer: Answer }; result: Nothing };
  /** The approvals that wait for the approver. No event has them: the page asks again. */
  approvals: { request: Nothing; result: { readonly approvals: readonly WaitingApproval[] } };
  /** Decides about an approval. */
  decide: { request: { readonly approval: string; readonly decision: 'approve' | 'deny' }; result: Nothing };
  /** Subscribes to updates of a resource, or ends that. */
  subscribe: {
    request: { readonly client: string; readonly uri: string; readonly isOn: boolean };
    result: { readonly client: ClientInfo };
  };
  logLevel: {
    request: { readonly client: string; readonly level: LoggingLevel };
    result: { readonly client: ClientInfo };
  };
  /** Replaces the roots; the server is notified where the protocol version has that. */
  roots: {
    request: { readonly client: string; readonly roots: readonly Root[] };
    result: { readonly client: ClientInfo };
  };
  ping: { request: { readonly client: string }; result: { readonly ms: number } };

  /** The tasks that the server lists, and those that were seen on this client. */
  tasks: { request: { readonly client: string }; result: { readonly tasks: readonly Task[] } };
  cancelTask: { request: { readonly client: string; readonly taskId: string }; result: Nothing };

  /** Rows after a `seq`, in order: at most `limit` (default and most 4,096). Repeat with the last `seq` until none comes. */
  rows: {
    request: { readonly recording: string; readonly after: number; readonly limit?: number };
    result: { readonly recording: Recording; readonly rows: readonly Row[] };
  };
  /** The texts of events, at most 256 at once. Those that were dropped are left out. */
  texts: {
    request: { readonly recording: string; readonly seqs: readonly number[] };
    result: { readonly texts: readonly EventText[] };
  };
  /** The `seq` of every event whose text contains this, ignoring case; at most 100,000. */
  search: {
    request: { readonly recording: string; readonly text: string };
    result: { readonly seqs: readonly number[]; readonly isCut: boolean };
  };
  /** The state of all connections right after an event: for scrubbing through time. */
  state: { request: { readonly recording: string; readonly seq: number }; result: History };
  /**
   * Sends an edited message on a new connection: opens another client with the same target and protocol version, and
   * sends it when that is ready. `text` must be one JSON-RPC request; its id is replaced. Of a capture, `client` is the
   * client to send it with.
   */
  resend: {
    request: { readonly client: string; readonly text: string };
    result: { readonly client: ClientInfo; readonly run: RunInfo };
  };
  /** Opens a capture: the text of a `*.mcp.ndjson` file, at most 128 MiB. */
  openCapture: {
    request: { readonly name: string; readonly text: string };
    result: { readonly recording: Recording };
  };
  closeCapture: { request: { readonly recording: string }; result: Nothing };
  /** A recording as a capture, without secrets; of `live` only these clients, or all. The page saves it as a file. */
  saveCapture: {
    request: { readonly recording: string; readonly clients?: readonly string[]; readonly keepAnswers?: boolean };
    result: { readonly name: string; readonly text: string };
  };
  /** Numbers of the last hour, second by second, after a time; of one client, or of all. */
  numbers: {
    request: { readonly after: number; readonly client?: string };
    result: { readonly buckets: readonly NumbersBucket[] };
  };

  /** Reads a `ui://` resource and prepares a frame for it. */
  openApp: {
    /** `privateOrigins` are those of an earlier answer that the user has allowed. */
    request: { readonly client: string; readonly uri: string; readonly privateOrigins?: readonly string[] };
    result: OpenedApp;
  };
  closeApp: { request: { readonly app: string }; result: Nothing };
}

export type ApiCallName = keyof ApiCalls;
