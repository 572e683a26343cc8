/** Calls `onRootsListChanged` when the roots of a client have changed. */

import { shownSession } from '../../lib/errors/logger.ts';
import type { Principal } from '../../ports/principal.ts';
import type { Root } from '../../protocol/generated/types/records.ts';
import type { RootsListChange } from '../definition/context.ts';
import type { Serving } from '../kernel/serving.ts';
import type { CallerInfo } from '../ports/caller.ts';
import type { Link } from '../ports/link.ts';
import { clientSupports } from '../server-requests/client-support.ts';
import { requestOutsideCalls } from './requests-outside-calls.ts';

export const rootsListChanged = 'notifications/roots/list_changed';

const listRoots = { method: 'roots/list' };

/** One callback at a time for each session: a client that sends many notifications does not start as many callbacks. */
export class RootsChanges {
  readonly #serving: Serving;
  readonly #link: Link;
  readonly #caller: CallerInfo;
  #state: 'idle' | 'running' | 'running-again' = 'idle';
  /** The principal that sent the last notification. */
  #principal: Principal | undefined;

  constructor(serving: Serving, link: Link, caller: CallerInfo) {
    this.#serving = serving;
    this.#link = link;
    this.#caller = caller;
  }

  /** A client that has declared no roots is ignored. */
  changed(principal: Principal | undefined): void {
    if (this.#serving.onRootsListChanged === undefined || !clientSupports(this.#caller, 'roots')) return;
    this.#principal = principal;
    if (this.#state === 'idle') void this.#run();
    else this.#state = 'running-again';
  }

  async #run(): Promise<void> {
    this.#state = 'running';
    try {
      await this.#serving.onRootsListChanged?.(this.#change());
    } catch (error) {
      this.#serving.failed(error, { method: rootsListChanged, target: '' });
    }
    const isRepeated = this.#isRepeated;
    this.#state = 'idle';
    if (isRepeated) void this.#run();
  }

  get #isRepeated(): boolean {
    return this.#state === 'running-again';
  }

  #change(): RootsListChange {
    const { revision, client, capabilities } = this.#caller;
    const principal = this.#principal;
    const { sessionId } = this.#link;
    return {
      caller: { protocolVersion: revision.id, clientInfo: client, capabilities, principal },
      sessionIdSuffix: sessionId === undefined ? undefined : shownSession(sessionId),
      listRoots: () => this.#listRoots(),
    };
  }

  async #listRoots(): Promise<Root[]> {
    const { signal } = new AbortController();
    const answer = await requestOutsideCalls(this.#serving, this.#link, this.#caller, listRoots, signal);
    return (answer as { readonly roots: Root[] }).roots;
  }
}
