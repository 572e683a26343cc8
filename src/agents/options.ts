/** The options of createToolkit(). */
import type { HostTool } from '../host/lists/lists.ts';
import type { ResultStore } from '../store/result-store.ts';
import type { ToolkitEvent } from './api.ts';
import type { ToolRanker } from './context/find-tools.ts';
import type { MediaPart } from './results/true-media.ts';
import type { ToolText } from './search/tool-text.ts';

/**
 * Which tools a model gets.
 * @area agents
 */
export interface ToolContextSettings {
  /**
   * Tokens of all definitions together.
   * @default 10,000
   * @beyond the model gets `find_tools`, the pinned tools and those that it has found
   */
  readonly maxTokens?: number;
  /**
   * Tools that the model always gets: their names, or a function.
   * @default off
   * @rule pinnedTools
   */
  readonly pinned?: readonly string[] | ((tool: ToolText) => boolean);
  /**
   * Finds tools instead of the built-in search: returns names, the best first.
   * @default off
   */
  readonly rank?: ToolRanker;
  /**
   * Characters of the description of a tool. Some APIs, such as that of Azure OpenAI, take 1,024.
   * @default 10,000
   * @beyond it is cut, which `lowered` reports
   */
  readonly maxDescriptionChars?: number;
  /**
   * Counts the tokens of a text, as your provider does.
   * @default computed characters / 4, rounded up
   */
  readonly countTokens?: (text: string) => number;
}

/**
 * What a model gets of results.
 * @area agents
 */
export interface ToolResultOptions {
  /**
   * Characters of one text of a result.
   * @default 20,000
   * @beyond its beginning and end are sent; `read_more` has the rest
   */
  readonly maxChars?: number;
  /**
   * Where long results are stored: `results` of a store.
   * @default computed memory of this process
   * @rule resultStore
   */
  readonly store?: ResultStore;
  /**
   * How long a long result is stored.
   * @default 30 min
   * @beyond the model gets the advice to call the tool again
   */
  readonly ttlMs?: number;
  /**
   * Characters of all stored results of a conversation.
   * @default 16,000,000
   * @beyond the oldest are deleted
   */
  readonly maxStoredChars?: number;
  /**
   * Makes an image smaller that has more than `maxMediaBytes`.
   * @default off
   */
  readonly resizeImage?: (image: MediaPart) => MediaPart | Promise<MediaPart>;
  /**
   * Bytes of one image, file or audio of a result. The default is 5 Mi in Base64, which is what providers count.
   * @default 3,932,160
   * @beyond it is described in text
   */
  readonly maxMediaBytes?: number;
}

/**
 * How calls are run.
 * @area agents
 */
export interface ToolCallOrder {
  /**
   * `by-server` runs the calls of one server one after another, and those of different servers together. Calls of
   * `trustedServers` that only read run together, too.
   * @default 'by-server'
   */
  readonly order?: 'by-server' | 'parallel';
  /**
   * Calls that run at the same time.
   * @default 8
   * @beyond they wait for their turn
   */
  readonly maxConcurrent?: number;
  /**
   * Servers whose hints are believed: what they call read-only or idempotent may run together, and be sent again when its
   * outcome is unknown. No hint permits a call.
   * @default off
   */
  readonly trustedServers?: readonly string[];
  /**
   * How long one call may take without a message of its server.
   * @default off
   * @beyond the outcome says that it may have run
   */
  readonly timeoutMs?: number;
}

/**
 * The options of `createToolkit`.
 * @area agents
 */
export interface ToolkitOptions {
  /**
   * The ID of the conversation, part of idempotency keys: after a restart with the same ID a Tenon server does not run a
   * call again that it has run.
   * @default off
   */
  readonly id?: string;
  /**
   * Which tools the model gets.
   * @default off
   */
  readonly filter?: (tool: HostTool) => boolean;
  /** Which tools the model gets. */
  readonly context?: ToolContextSettings;
  /** What the model gets of results. */
  readonly results?: ToolResultOptions;
  /** How calls are run. */
  readonly calls?: ToolCallOrder;
  /**
   * What becomes of a call that needs consent, an answer of the user, or a task. `wait`: the hooks of the host answer, and
   * the call goes on. `return`: the outcome is an interrupt, and `resume` continues the call.
   * @default 'wait'
   */
  readonly interrupts?: 'wait' | 'return';
  /**
   * Seals interrupts, the newest first; each has at least 32 characters. Without them an interrupt ends with the process.
   * @default off
   * @rule interruptSecrets
   */
  readonly secrets?: readonly string[];
  /**
   * Called with what happens: calls, progress, searches, changes.
   * @default off
   */
  readonly onEvent?: (event: ToolkitEvent) => void;
}

/**
 * The options of `createHostPool`.
 * @area agents
 * @of `createHostPool`
 */
export interface HostPoolOptions {
  /**
   * Hosts that are open at the same time.
   * @default 100
   * @beyond the one that is unused for longest closes; if all are in use, the call is rejected
   * @code too-many-hosts
   */
  readonly maxHosts?: number;
  /**
   * How long the host of a user may be unused.
   * @default 10 min
   * @beyond it closes; the next use makes another
   */
  readonly idleMs?: number;
}
