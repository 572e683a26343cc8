/** What the thread of a script and its host send to each other: text, numbers and lists of names. */

/** The limits that are checked in the thread. The host checks them again where it can. */
export interface ThreadLimits {
  readonly timeMs: number;
  readonly maxCalls: number;
  readonly maxArgumentChars: number;
  readonly maxOutputChars: number;
  readonly maxProblemChars: number;
}

/** What a thread is started with. */
export interface ThreadData {
  /** The path of the package of the engine. */
  readonly engine: string;
  readonly maxMemoryBytes: number;
}

export interface StartMessage {
  readonly type: 'start';
  readonly script: string;
  /** The names of the tools that it can call. */
  readonly names: readonly string[];
  /** The time that it sees, in milliseconds since 1970. */
  readonly now: number;
  /** The beginning of its random numbers. */
  readonly seed: number;
  readonly limits: ThreadLimits;
}

export type ToThread =
  | StartMessage
  /** The result of a call, as JSON. */
  | { readonly type: 'result'; readonly call: number; readonly json: string }
  /** A call that failed: the text as JSON. */
  | { readonly type: 'failed'; readonly call: number; readonly json: string };

/** Why a script was ended by its thread. */
export type EndCode = 'script-timeout' | 'script-out-of-memory' | 'script-limit-exceeded' | 'script-failed';

export type FromThread =
  /** The engine is loaded. */
  | { readonly type: 'ready' }
  | { readonly type: 'call'; readonly call: number; readonly name: string; readonly args: string }
  | { readonly type: 'log'; readonly text: string }
  /** Nothing is left to compute after so many results of calls. */
  | { readonly type: 'idle'; readonly received: number; readonly isOutOfMemory: boolean }
  /** The script has returned: its value as JSON, perhaps cut, and how long it was. */
  | { readonly type: 'returned'; readonly json: string; readonly chars: number }
  | { readonly type: 'thrown'; readonly text: string }
  | { readonly type: 'ended'; readonly code: EndCode; readonly text: string };
