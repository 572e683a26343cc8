/** The tools of a source as they were last listed. They are listed again only after something may have changed. */
import type { HostTool } from '../../host/lists/lists.ts';
import type { ToolSource } from './tool-source.ts';

/** How long a server that could not be listed is left alone after that, in milliseconds. */
const retryAfterMs = 10_000;

/** What was listed. The same object means: nothing has changed. */
export interface KnownTools {
  readonly tools: ReadonlyMap<string, HostTool>;
  readonly errors: ReadonlyArray<{ readonly server: string; readonly text: string }>;
}

export class Catalogue {
  readonly #source: ToolSource;
  readonly #filter: (tool: HostTool) => boolean;
  readonly #now: () => number;
  #known: KnownTools | undefined;
  #text = '';
  #isCurrent = false;
  #mayRecover = false;
  #listedAt = 0;
  #flight: Promise<KnownTools> | undefined;
  /** Whether the list in flight is for servers that failed alone: the tools of the others are as they are known. */
  #isRetry = false;
  #stop: (() => Promise<void>) | undefined;

  constructor(source: ToolSource, filter: ((tool: HostTool) => boolean) | undefined, now: () => number) {
    this.#source = source;
    this.#filter = filter ?? (() => true);
    this.#now = now;
  }

  /** Calls at the same time share one list. */
  async tools(): Promise<KnownTools> {
    const known = this.#known;
    const mayRetry = this.#mayRecover && this.#now() - this.#listedAt > retryAfterMs;
    if (known !== undefined && this.#isCurrent && !mayRetry && this.#flight === undefined) return known;
    this.#flight ??= this.#list().finally(() => {
      this.#flight = undefined;
      this.#isRetry = false;
    });
    return this.#flight.catch((error: unknown) => {
      this.#isCurrent = false;
      throw error;
    });
  }

  /** For a call of one tool: if that is known, the call does not wait for servers that could not be listed. */
  async toolsWith(name: string): Promise<KnownTools> {
    const known = this.#known;
    const isCurrent = this.#isCurrent && (this.#flight === undefined || this.#isRetry);
    return known !== undefined && isCurrent && known.tools.has(name) ? known : this.tools();
  }

  async close(): Promise<void> {
    await this.#stop?.();
  }

  async #list(): Promise<KnownTools> {
    // Set before the list, so that a change meanwhile is noticed.
    this.#isRetry = this.#isCurrent;
    this.#isCurrent = true;
    const { tools, errors, mayRecover } = await this.#source.list();
    this.#mayRecover = mayRecover;
    // A server that does not answer has taken long already.
    this.#listedAt = this.#now();
    // After the first list: a client knows only then whether its server reports changes.
    this.#stop ??= this.#source.observe(() => {
      this.#isCurrent = false;
    });
    const shown = tools.filter((tool) => this.#filter(tool));
    const text = JSON.stringify([shown, errors]);
    if (this.#known === undefined || text !== this.#text) {
      this.#text = text;
      this.#known = { tools: new Map(shown.map((tool) => [tool.name, tool])), errors };
    }
    return this.#known;
  }
}
