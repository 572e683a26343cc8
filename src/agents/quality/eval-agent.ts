/** What `tenon eval` runs: a function that answers a prompt with tools. */
import type { CallToolResult, Tool } from '../../protocol/generated/types/records.ts';

/** A call that an agent made. */
export interface EvalCall {
  /** The name of the tool. */
  readonly name: string;
  /** The arguments of the model. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** One prompt, with the tools of the server. */
export interface EvalTask {
  /** What the user asks. */
  readonly prompt: string;
  /** The tools of the server, as it lists them; empty if `tenon eval` has no target. */
  readonly tools: readonly Tool[];
  /** Calls a tool and records the call. A tool that fails, or does not exist, is a result with `isError`. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
  /** Aborted when the time or the calls of the prompt are used up: pass it to your requests. */
  readonly signal: AbortSignal;
}

/** What an agent may return: its answer, or the calls that it made by other means than `call`. */
export type EvalAnswer = string | { readonly text?: string; readonly calls?: readonly EvalCall[] } | undefined | void;

/** A function that answers a prompt: the default export of the module of `tenon eval --agent`. */
export type EvalAgent = (task: EvalTask) => Promise<EvalAnswer> | EvalAnswer;

/** A prompt, and which tools it should lead to. */
export interface EvalPrompt {
  readonly prompt: string;
  /** Tools that must be called. */
  readonly expected: readonly string[];
  /** Tools that must not be called; `*` stands for all others. */
  readonly forbidden: readonly string[];
  /** The calls of the scripted agent. */
  readonly script?: readonly EvalCall[];
}

/** The tools that a prompt led to. */
export interface PromptOutcome {
  readonly prompt: string;
  readonly passed: boolean;
  readonly calls: readonly EvalCall[];
  /** Why it did not pass. */
  readonly problems: readonly string[];
  readonly answer?: string;
  readonly ms: number;
}
