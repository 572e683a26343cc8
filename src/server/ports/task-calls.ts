/** Calls that run as tasks, as the features see them. The engine behind it is loaded when it is needed. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import type { CompiledTask } from '../definition/compiled.ts';
import type { SendRequest } from '../server-requests/server-requests.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { CallerInfo } from './caller.ts';
import type { Principal } from './principal.ts';

/** What a call as a task, or a request about one, needs of its invocation. */
export interface TaskInvocation {
  readonly call: Incoming;
  readonly caller: CallerInfo;
  readonly ports: { readonly principal: Principal | undefined; readonly send: SendRequest | undefined };
  readonly context: { readonly signal: AbortSignal };
  finish(settled: CallOutcome | RpcError): void;
  fail(error: unknown): void;
}

export interface TaskCalls {
  /** Whether a tool of the server runs as a task. */
  readonly isOffered: boolean;
  /** Creates a task for a call, and answers with it. */
  begin(invocation: TaskInvocation, task: CompiledTask): void;
  /** Answers a request about a task. */
  serve(invocation: TaskInvocation): void;
}
