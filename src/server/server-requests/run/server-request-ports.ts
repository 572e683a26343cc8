/** The ports of the server requests, steps and sleeps of one run, which its call provides. */
import type { RpcError } from '../../../jsonrpc/errors.ts';
import type { InputRequest } from '../../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../../protocol/progress.ts';
import type { StepOptions, StepRun } from '../../definition/context.ts';
import type { Journal } from '../../ports/journal.ts';
import type { SentRequest, TaskMemory } from '../../ports/link.ts';
import type { SleepPorts } from './sleep.ts';

/** Called with the progress that the client reports on its answer. */
export type OnProgress = (progress: ProgressUpdate) => void;

/**
 * Sends a request to the client and waits for the answer; an `RpcError` ends the call. `memory` is set for a request whose
 * task outlives the connection.
 */
export type SendRequest = (
  request: SentRequest,
  signal: AbortSignal,
  onProgress?: OnProgress,
  memory?: TaskMemory,
) => Promise<unknown>;

/** Runs a step, maybe more than once, and stores its result. Rejects if the result cannot be stored. */
export type StoreStep = (
  key: string,
  run: (step: StepRun) => Promise<unknown>,
  options: StepOptions,
  checkRunning: () => void,
) => Promise<unknown>;

export interface ServerRequestPorts {
  /** Absent if a request ends the run. */
  readonly send?: SendRequest | undefined;
  /** The schemes that the URL of an elicitation may have. */
  readonly urlSchemes: readonly string[];
  /** A request is about to be sent, maybe again. */
  onRequest(key: string, request: InputRequest): void;
  /** Runs a step of a task and stores its result before it resolves; absent if steps are stored with the call. */
  readonly storeStep?: StoreStep | undefined;
  /** The time of `ctx.sleep()`. */
  readonly sleep: SleepPorts;
  /** The run ends: the next one begins when these requests are answered, or its sleeps have ended. */
  suspended(requests: Readonly<Record<string, InputRequest>>, journal: Journal): void;
  /** The run ends: the call has failed, whether or not the handler catches the error. Its cause is reported to `onError` if so. */
  failed(error: RpcError, isReported?: boolean): void;
}
