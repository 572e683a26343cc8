/** One round of a tool call of a host: what a caller without handlers gets, and how it goes on. */
import type { RoundOptions } from '../client/api/client.ts';
import type { PendingApproval } from '../ports/pending-approval.ts';
import type { CallToolResult } from '../protocol/generated/types/records.ts';
import type { Outcome } from '../protocol/neutral.ts';

/** The options of `host.tools.round`. */
export interface HostRoundOptions extends RoundOptions {
  /** The answer of the user about this call, in place of `consent.tool`. What the policy denies stays denied. */
  readonly consent?: 'allow' | { readonly deny: string };
  /** Continues the task that an earlier round has become. */
  readonly taskId?: string;
}

/** The outcome of one round: a result, what is required first, a task, `consent` if no hook can ask the user, or an `approval` of another person that it waits for. */
export type HostRound =
  | { readonly resultType: 'complete'; readonly result: CallToolResult }
  | { readonly resultType: 'consent' }
  | { readonly resultType: 'approval'; readonly approval: PendingApproval }
  | Extract<Outcome, { resultType: 'input_required' | 'task' }>;
