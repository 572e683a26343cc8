/** The options of createCodeToolkit(), and the limits of a script that no option sets. */
import type { AgentTool } from '../agents/api.ts';
import { positive, type Rule } from '../lib/options/option-rules.ts';

/**
 * What one script may use.
 * @area agents
 * @of `limits` of `createCodeToolkit`
 */
export interface CodeLimits {
  /**
   * How long a script may compute. The time in which it waits for its calls, and so for people, does not count.
   * @default 1 s
   * @beyond the script ends
   * @code script-timeout
   */
  readonly timeMs?: number;
  /**
   * Bytes of memory of a script, at least 24 Mi: an empty one has 16 Mi.
   * @default 64 Mi
   * @rule scriptMemory
   * @beyond the script cannot allocate more, or ends
   * @code script-out-of-memory
   */
  readonly maxMemoryBytes?: number;
  /**
   * Calls of one script.
   * @default 100
   * @beyond the script ends
   * @code script-limit-exceeded
   */
  readonly maxCalls?: number;
  /**
   * Characters of the script itself.
   * @default 100,000
   * @beyond it is not run
   * @code script-limit-exceeded
   */
  readonly maxScriptChars?: number;
  /**
   * Characters of the arguments of one call, as JSON.
   * @default 100,000
   * @beyond the script ends, and the call is not made
   * @code script-limit-exceeded
   */
  readonly maxArgumentChars?: number;
  /**
   * Characters of the result of one call, as JSON.
   * @default 1,000,000
   * @beyond the script gets an error instead
   */
  readonly maxResultChars?: number;
  /**
   * Characters of what a script returns, and as many of what it logs.
   * @default 20,000
   * @beyond they are cut
   */
  readonly maxOutputChars?: number;
  /**
   * Characters of the declarations in the description of `run_code`.
   * @default 20,000
   * @beyond the model gets `find_tools`, which answers with declarations
   */
  readonly maxApiChars?: number;
  /**
   * Scripts that run or are suspended at the same time.
   * @default 8
   * @beyond the one that is suspended for longest ends; if all run, the script is not run
   * @code queue-full
   */
  readonly maxScripts?: number;
}

/**
 * The options of `createCodeToolkit`.
 * @area agents
 * @of `createCodeToolkit`
 */
export interface CodeToolkitOptions {
  /**
   * Which tools scripts can call. The model calls the others directly.
   * @default computed all
   */
  readonly tools?: (tool: AgentTool) => boolean;
  /** What one script may use. */
  readonly limits?: CodeLimits;
}

/** Below this the engine does not start. */
const leastMemory = 24 * 1024 * 1024;

export const scriptMemory: Rule & { readonly default: number } = {
  holds: (value) => positive.holds(value) && (value as number) >= leastMemory,
  must: `be bytes, at least ${leastMemory}`,
  default: 64 * 1024 * 1024,
};

/**
 * How long a thread may take to start the engine.
 * @limit agents
 * @beyond the script is not run
 * @code script-failed
 */
export const maxStartMs = 30_000;

/**
 * Over twice its time, how long a script may compute where the engine cannot be interrupted, in milliseconds.
 * @limit agents
 * @beyond its thread is ended
 * @code script-timeout
 */
export const uninterruptedMs = 2000;

/**
 * Characters of a message of an error of a script.
 * @limit agents
 * @beyond it is cut
 */
export const maxProblemChars = 2000;
