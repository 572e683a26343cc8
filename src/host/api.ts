/** The interface of a host. */
import type { CallOptions, ToolCallOptions, WaitOptions, Watcher } from '../client/api/client.ts';
import type { CallArguments } from '../client/api/typing.ts';
import type { LockedItem } from '../ports/lock.ts';
import type { MethodDefinition, MethodResult } from '../protocol/extensions/extension.ts';
import type {
  CallToolResult,
  Completion,
  CompletionReference,
  GetPromptResult,
  ReadResourceResult,
  SubscriptionFilter,
} from '../protocol/generated/types/records.ts';
import type { Input } from '../schema/standard.ts';
import type { HostList, HostPrompt, HostResource, HostTemplate, HostTool } from './lists/lists.ts';
import type { LockStatus, ServerLockStatus } from './lock/status.ts';
import type { HostExplanation } from './requests/policy.ts';
import type { HostRound, HostRoundOptions } from './round.ts';
import type { HostSubscription } from './servers/changes.ts';
import type { ServerConfig } from './servers/config.ts';
import type { ServerHealth } from './servers/host-server.ts';

/**
 * Many servers behind one interface.
 *
 * @example
 * ```ts
 * const host = createHost({
 *   servers: { files: { command: 'npx', args: ['files-server'] } },
 *   consent: { tool: ({ server, tool }) => (isAllowed(server, tool) ? 'allow' : 'deny') },
 * });
 * const { items, errors } = await host.tools.list();
 * const result = await host.tools.call('files__read', { path: 'notes.txt' });
 * ```
 */
export interface Host extends AsyncDisposable {
  /** The names of the servers: those of the configuration in its order, then those that were added. */
  readonly servers: readonly string[];
  /** Adds a server, with an entry as in the configuration. It is connected when it is first used. */
  addServer(name: string, config: ServerConfig): void;
  /**
   * Removes a server and closes its connection. Running calls may finish for `timeoutMs` (default 5000); new ones are
   * rejected.
   */
  removeServer(name: string, options?: { readonly timeoutMs?: number }): Promise<void>;
  /** The tools of all servers. */
  readonly tools: {
    /**
     * Lists the tools of all servers that are for models: not those that are for apps only (`_meta.ui.visibility`), which
     * can be called. A failing server is in `errors`; the others are listed.
     */
    list(): Promise<HostList<HostTool>>;
    /**
     * Calls a tool by its `name` in the list, after the policy or `consent.tool` has allowed it. Rejects with
     * `permission-denied` or `consent-denied` otherwise, and with `invalid-argument` for a tool that the server does not
     * have.
     */
    call(name: string, args?: Record<string, unknown>, options?: ToolCallOptions): Promise<CallToolResult>;
    /**
     * Sends one round of a call, and does not wait for people: missing consent, required input and a task are outcomes. Pass
     * the answers with the same name and arguments to the next round, from this process or another one. In a session the
     * server sends its requests to `answers` of the options, or to the hooks of the host.
     */
    round(name: string, args?: Record<string, unknown>, options?: HostRoundOptions): Promise<HostRound>;
  };
  /** The resources of all servers. */
  readonly resources: {
    /** Lists the resources of all servers. */
    list(): Promise<HostList<HostResource>>;
    /** Lists the resource templates of all servers. */
    listTemplates(): Promise<HostList<HostTemplate>>;
    /** Reads a resource by its `hostUri` in the list. */
    read(hostUri: string, options?: CallOptions): Promise<ReadResourceResult>;
    /** Calls `onChange` with the contents of a resource now, and after every change. Connects the server. */
    watch(
      hostUri: string,
      onChange: (contents: ReadResourceResult['contents']) => void,
      options?: WaitOptions,
    ): Promise<Watcher>;
  };
  /** The prompts of all servers. */
  readonly prompts: {
    /** Lists the prompts of all servers. */
    list(): Promise<HostList<HostPrompt>>;
    /** Gets the messages of a prompt by its `name` in the list. */
    get(name: string, args?: Readonly<Record<string, string>>, options?: CallOptions): Promise<GetPromptResult>;
  };
  /**
   * Completes an argument of a prompt, or a variable of a resource template. `ref` has the `name` of the prompt, or the
   * `hostUri` of the template as its `uri`, as the lists of the host have them.
   */
  complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    context?: Record<string, string>,
    options?: CallOptions,
  ): Promise<Completion>;
  /** Sends a request of an extension to one server. The extension has to be in `connectOptions.extensions`. */
  request<M extends MethodDefinition>(
    server: string,
    method: M,
    ...following: CallArguments<Input<M['params']>, CallOptions>
  ): Promise<MethodResult<M>>;
  /** The instructions of the servers that are connected; with a lock, those that were approved. */
  instructions(): Array<{ readonly server: string; readonly text: string }>;
  /** Why the policy decided as it did: takes `details.decisionId` of an error. The policy remembers the newest decisions. */
  explain(decisionId: string): HostExplanation | undefined;
  /** Lists all servers, and compares them with the lock. Rejects without the option `lock`. */
  lockStatus(): Promise<LockStatus>;
  /**
   * Approves what a status showed: of all servers, of one of its `servers`, or some items of that one. It approves what was
   * shown, not what the servers have by now.
   */
  approve(status: LockStatus): Promise<void>;
  approve(status: ServerLockStatus, items?: readonly LockedItem[]): Promise<void>;
  /** The health of every server. */
  health(): ServerHealth[];
  /**
   * Subscribes to changes on all servers that are connected, and to the states of their connections. Connects none.
   * Without a filter it reports all lists; `resourceSubscriptions` takes the `hostUri` of resources.
   */
  subscribe(filter?: SubscriptionFilter): HostSubscription;
  /** Notifies all connected servers that the roots have changed. */
  sendRootsListChanged(): void;
  /** Closes all connections. Running calls may finish for `timeoutMs` (default 5000). */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}
