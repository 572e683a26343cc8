/** What a toolkit takes and returns: tools as a model sees them, calls as a model makes them, outcomes that it can read. */
import type { ModelPart } from '../client/content/model-content.ts';
import type { PendingApproval } from '../ports/pending-approval.ts';
import type { CallToolResult, InputRequest } from '../protocol/generated/types/records.ts';
import type { SchemaChange, SchemaTarget } from './schemas/report.ts';

/** A call as a model made it. */
export interface ToolCall {
  /** The ID of the call, unique in the conversation. */
  readonly id: string;
  /** The name of the tool, as in `AgentTool`. */
  readonly name: string;
  /** The arguments: an object, or its JSON text. */
  readonly arguments: unknown;
}

/** A tool as a model sees it. */
export interface AgentTool {
  /** The name that the model calls: at most 64 letters, digits, underscores and dashes. */
  readonly name: string;
  /** The title of the tool for people. */
  readonly title?: string;
  /** What the tool does, as its server describes it. */
  readonly description: string;
  /** The schema of the arguments, lowered for the target of the list. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The schema of its structured result, as its server describes it. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The server of the tool. The toolkit's own tools have none. */
  readonly server?: string;
  /** Whether its definition is sent to the model only after it was found. */
  readonly deferred: boolean;
  /** Whether its server says that it only reads. */
  readonly readOnly: boolean;
  /** Whether the schema is the form of `openai-strict`. */
  readonly strict: boolean;
}

/** The tools of one turn of the model. */
export interface ToolTurn {
  /** The tools, in an order that stays the same, so that the prompt can be cached. */
  readonly tools: readonly AgentTool[];
  /** About how many tokens the definitions take that are sent. */
  readonly tokens: number;
  /** How the servers want to be used, for the system prompt. */
  readonly instructions: string;
  /** Whether the tools are others than in the turn before. */
  readonly changed: boolean;
  /** What was changed in the schemas for the target. */
  readonly lowered: readonly SchemaChange[];
  /** Servers that could not be listed, and tools that were left out. */
  readonly errors: ReadonlyArray<{ readonly server: string; readonly text: string }>;
}

/** A call that waits for a person, or for a task. `approval`: another person than the user decides, elsewhere. */
export interface Interrupt {
  /** What it waits for. */
  readonly kind: 'consent' | 'elicitation' | 'approval' | 'task';
  /** The server of the tool. */
  readonly server: string;
  /** The call of the model. */
  readonly call: ToolCall;
  /** Whether it can be resumed after this process has ended. */
  readonly durable: boolean;
  /** Until when it can be resumed, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** The requests of the server by their keys: `elicitation/create` has a form, or a URL, in its `params`. */
  readonly requests?: Readonly<Record<string, InputRequest>>;
  /** The approval that it waits for. Its `url` may be one of the server. */
  readonly approval?: PendingApproval;
  /** What `resume` needs: encrypted, and bound to the call. It may pass through a browser. */
  readonly sealed: string;
}

/** The answer to an interrupt: a decision, answers by the keys of `requests`, or the question whether a task has ended or an approval was given. */
export type InterruptAnswer =
  | { readonly decision: 'allow' | 'deny'; readonly reason?: string }
  | { readonly answers: Readonly<Record<string, object>> }
  | { readonly check: true };

/** What became of a call. Failures are results that a model can act on. */
export type ToolOutcome =
  | {
      readonly type: 'result';
      /** The ID of the call. */
      readonly callId: string;
      /** Whether the tool failed, or the call could not be made. */
      readonly isError: boolean;
      /** What the model gets, in order. */
      readonly parts: readonly ModelPart[];
      /** The texts of the parts, joined by line breaks. */
      readonly text: string;
      /** The names of the tools that a search found. */
      readonly found?: readonly string[];
      /** The result as the server sent it. */
      readonly result?: CallToolResult;
    }
  | {
      readonly type: 'interrupt';
      /** The ID of the call. */
      readonly callId: string;
      /** What the call waits for. */
      readonly interrupt: Interrupt;
    };

/** The options of one call of a toolkit. */
export interface AgentCallOptions {
  /** Cancels the call, which then throws. The server is notified. */
  readonly signal?: AbortSignal;
  /** The media types that the model takes, such as `image/png` or `audio/*`. Others are described in text. Default all. */
  readonly media?: readonly string[];
}

/** The options of one list of a toolkit. */
export interface AgentListOptions {
  /**
   * How the model gets a tool that it has found, if there are too many for `context.maxTokens`. `next-list`: by name in
   * the next list. `native`: the provider knows deferred tools. `call_tool`: by the tool `call_tool`, for frameworks that
   * take the tools once. Default: as in the list before, at first `next-list`.
   */
  readonly found?: 'next-list' | 'native' | 'call_tool';
}

/** The options of adapters whose frameworks have models of several providers. */
export interface AdapterOptions {
  /**
   * The API of the model, for which schemas are lowered: `anthropic`, `google` and `openai` reject a request with a schema
   * that they do not take. Default: `any` for the AI SDK and Mastra, `openai` for LangChain and the OpenAI Agents SDK.
   */
  readonly target?: SchemaTarget;
}

/** What happened in a toolkit. */
export type ToolkitEvent =
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly server?: string }
  | { readonly type: 'outcome'; readonly callId: string; readonly name: string; readonly isError: boolean }
  | { readonly type: 'interrupt'; readonly callId: string; readonly interrupt: Interrupt }
  | {
      readonly type: 'progress';
      readonly callId: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | { readonly type: 'search'; readonly query: string; readonly found: readonly string[] }
  | { readonly type: 'lowered'; readonly changes: readonly SchemaChange[] }
  | { readonly type: 'changed'; readonly tools: readonly string[] }
  /** The store of results, the ranking or `resizeImage` failed: the call went on without it. */
  | { readonly type: 'warning'; readonly error: unknown };

/**
 * The tools of a host or a client, for a model.
 *
 * @example
 * ```ts
 * const kit = createToolkit(host);
 * const { tools } = await kit.list('anthropic');
 * const outcome = await kit.call({ id: 'call-1', name: 'files__read', arguments: { path: 'notes.txt' } });
 * ```
 */
export interface Toolkit extends AsyncDisposable {
  /** The ID of the conversation: the option `id`, or a random one. */
  readonly id: string;
  /** The tools for the next turn of the model: the same object until something has changed. */
  list(target?: SchemaTarget, options?: AgentListOptions): Promise<ToolTurn>;
  /** Finds tools for a program, as `find_tools` does for the model: the best first, at most `limit` (8). */
  search(query: string, limit?: number): Promise<AgentTool[]>;
  /** Runs a call of the model. Throws only if the signal is aborted: every other failure is an outcome. */
  call(call: ToolCall, options?: AgentCallOptions): Promise<ToolOutcome>;
  /** Runs the calls of one turn; the outcomes are in their order. */
  callAll(calls: readonly ToolCall[], options?: AgentCallOptions): Promise<ToolOutcome[]>;
  /**
   * Continues a call that was interrupted, after the policy has decided again. An interrupt that has expired, was used, or
   * whose tool has changed is an outcome with the advice to call again.
   */
  resume(interrupt: Interrupt, answer: InterruptAnswer, options?: AgentCallOptions): Promise<ToolOutcome>;
  /** Aborts running calls and stops listening to changes. The host stays open. */
  close(): Promise<void>;
}
