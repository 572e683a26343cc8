/** The events that the page receives: what has changed since the last one. */
import type { AuthStep } from '../../auth/client/steps.ts';
import type { Task } from '../../client/api/tasks.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { ClientInfo } from './clients.ts';
import type { Question, QuestionClosed } from './questions.ts';
import type { FeatureKind, RunInfo } from './runs.ts';
import type { Recording, Row } from './timeline.ts';

/**
 * An event. All kinds share one count, so that one `seq` is enough to resume after a connection was lost.
 *
 * They come from `POST /api/events` with `{ "after": seq }`, as `text/event-stream`: each has the lines `id: SEQ` and
 * `data: JSON`, and a comment line comes every 15 seconds. Read it by `fetch`, since it needs the header
 * `Authorization`. To resume, send the `seq` of the last event. Begin with `Overview.seq`.
 */
export type InspectorEvent = { readonly seq: number; readonly at: number } & InspectorChange;

/** The events that are lines of the log. */
export type LogEvent = Extract<InspectorEvent, { readonly type: 'log' | 'output' | 'warning' }>;

/** What has happened. */
export type InspectorChange =
  /** A new row of the recording `live`, with its text if it is short: what a page has is not lost with the process. */
  | { readonly type: 'row'; readonly row: Row; readonly text?: string }
  /** A client was opened, or something of it has changed. */
  | { readonly type: 'client'; readonly client: ClientInfo }
  | { readonly type: 'client-removed'; readonly client: string }
  /** A run was started, has progress, has become a task, or has ended. Fetch its result by `result`. */
  | { readonly type: 'run'; readonly run: RunInfo }
  | { readonly type: 'run-removed'; readonly run: string }
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'question-closed'; readonly question: string; readonly reason: QuestionClosed }
  /** A step of an authorization, as it happens. `ClientInfo.auth` has all of them. */
  | { readonly type: 'auth'; readonly client: string; readonly step: AuthStep }
  /** A list has changed: fetch it again by `list`. */
  | { readonly type: 'list-changed'; readonly client: string; readonly kind: FeatureKind }
  /** A resource with a subscription was updated. */
  | { readonly type: 'resource-updated'; readonly client: string; readonly uri: string }
  /** A log message. `data` is cut beyond 4,000 characters of JSON, then it is a string. */
  | {
      readonly type: 'log';
      readonly client: string;
      readonly level: LoggingLevel;
      readonly logger?: string;
      readonly data: unknown;
    }
  /** A line that the process of a server wrote besides the protocol, cut beyond 4,000 characters. */
  | { readonly type: 'output'; readonly client: string; readonly stream: 'stderr' | 'stdout'; readonly text: string }
  /** A task was seen, or has changed. */
  | { readonly type: 'task'; readonly client: string; readonly task: Task }
  /** Something was dropped or repaired, and the connection continues. */
  | { readonly type: 'warning'; readonly client: string; readonly code: string; readonly message: string }
  | { readonly type: 'recording'; readonly recording: Recording }
  | { readonly type: 'recording-removed'; readonly recording: string }
  /** Events were dropped since `after`: call `overview` and `rows` again, then continue with this stream. */
  | { readonly type: 'reset' };
