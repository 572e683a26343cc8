/** A run of a tool that may need an approval, as the server that runs it knows it: how it asks the caller, waits, and goes on. */
import type { RequestedSchema } from '../protocol/generated/types/records.ts';

/** How a client answers an elicitation. */
export interface ElicitedAnswer {
  /** What the user chose. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The fields of a form. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A run that waits for its approval. Where it cannot wait, it ends and is continued by another one, and methods reject. */
export interface ApprovableCall {
  /** The name of the server. */
  readonly server: string;
  /** Who uses the approval: this run alone, or the task in all its runs. */
  readonly runId: string;
  /** Whether it is a run of a task, which waits as long as it takes. */
  readonly isTask: boolean;
  /** Whether an earlier run of the call has used its approval. */
  readonly isApproved: boolean;
  /** The approval that an earlier run has requested. */
  readonly requested: string | undefined;
  /** How often earlier runs of the task have paused. */
  readonly pauses: number;
  /** The tool as it is listed now; `undefined` if it is not any more. */
  definition(): object | undefined;
  /** Whether the client has elicitations by a form, or by a URL. */
  supports(mode: 'form' | 'url'): boolean;
  /** Asks the client. */
  elicit(
    approval: string,
    request:
      | { readonly message: string; readonly requestedSchema: RequestedSchema }
      | { readonly message: string; readonly url: string },
  ): Promise<ElicitedAnswer>;
  /** What the URL was opened for is done. */
  completed(approval: string): void;
  /** Waits before the approval is looked at again. A task ends its run; `n` counts its pauses. */
  pause(approval: string, ms: number, n: number): Promise<void>;
  /** Continues the call as a task, where the client follows one; the run has ended then. Absent where it cannot. */
  readonly becomeTask?: () => Promise<void>;
  /** Runs something that later runs of the call need not repeat. */
  once(run: () => Promise<void>): Promise<void>;
  /** Notifies the client that the call waits. */
  reportWait(waitedMs: number, message: string): void;
  /** Reports an error that the client does not get. */
  failed(error: unknown): void;
}
