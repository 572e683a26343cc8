/** Runs: calls that the page has started. A run goes on if the page is closed, and its result can be fetched later. */
import type { Task } from '../../client/api/tasks.ts';
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '../../protocol/generated/types/records.ts';
import type { ApiError } from './errors.ts';

/** What a run does. */
export type RunRequest =
  /** `task: true` requests a task in a session; `false` forbids it; by default as the tool says. */
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly task?: boolean;
      /** The app that wants it, if it is one: only tools that apps may see are called. */
      readonly app?: string;
    }
  | { readonly kind: 'resource'; readonly uri: string }
  | { readonly kind: 'prompt'; readonly name: string; readonly arguments: Readonly<Record<string, string>> }
  /** Follows a task to its result; what it requires meanwhile becomes a question. `tool` is what began it, if that is known. */
  | { readonly kind: 'task'; readonly taskId: string; readonly tool?: string }
  /** Any request by its method. */
  | { readonly kind: 'request'; readonly method: string; readonly params?: Readonly<Record<string, unknown>> };

/** A run, without its result. An event `run` has it whole whenever something of it has changed. */
export interface RunInfo {
  /** Such as `r1`. */
  readonly id: string;
  /** The client that it belongs to. */
  readonly client: string;
  readonly request: RunRequest;
  /** `failed` is an error of the connection or the protocol; a tool that reports an error is `done` with `isError`. */
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** Whether the result says `isError`. */
  readonly isError?: boolean;
  readonly startedAt: number;
  readonly ms?: number;
  /** The last progress. */
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  /** The task that it has become. */
  readonly task?: Task;
  readonly error?: ApiError;
  /** The protocol version that it was sent with. */
  readonly protocolVersion?: string;
  /** Its messages in the recording `live`: the first request, and the last response. */
  readonly requestSeq?: number;
  readonly responseSeq?: number;
  /** Whether the result was dropped to make room: the row of the timeline may still have it. */
  readonly isForgotten?: boolean;
}

/** A run with its result. */
export interface RunResult {
  readonly run: RunInfo;
  /** As the protocol defines it for the method; absent unless the status is `done`. */
  readonly result?: CallToolResult | ReadResourceResult | GetPromptResult | Readonly<Record<string, unknown>>;
}

/** The lists of a server. */
export interface FeatureLists {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

export type FeatureKind = keyof FeatureLists;
