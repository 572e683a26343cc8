/** The pages that a server had the user open, until it says that they are done. */
import { listenForAbort, stopListening } from '../jsonrpc/abort-listeners.ts';
import type { Deadlines } from '../jsonrpc/deadlines.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import type { News } from '../protocol/neutral.ts';
import { type RequiredPage, requiredPages } from '../protocol/pages.ts';
import type { Answers, UrlAsked } from './answers.ts';

/** How many pages may be open at once; of more, the oldest are forgotten. */
const maxOpen = 1000;

/** The pages that have to be opened before a call, where the error of a server says so; else none. */
export const requiredPagesOf = (error: unknown): readonly RequiredPage[] =>
  error instanceof RpcError && error.reason === 'url-elicitation-required' ? (requiredPages(error.data) ?? []) : [];

export interface Pages {
  /** Answers that keep in mind which pages they opened. */
  readonly answers: Answers;
  /** The server says that a page is done. One that is not open, or no longer, is ignored. Gives what whoever is told gave. */
  told(news: News): unknown;
  /** Whether all of these are done in the time that a call may wait for them. Rejects when a signal is aborted. */
  done(pages: readonly RequiredPage[], signals: readonly AbortSignal[]): Promise<boolean>;
}

interface Open {
  readonly page: UrlAsked;
  readonly waiting: Array<() => void>;
}

export function createPages(answers: Answers, deadlines: Deadlines): Pages {
  const open = new Map<string, Open>();

  function close(id: string | undefined): Open | undefined {
    const found = id === undefined ? undefined : open.get(id);
    if (id === undefined || found === undefined) return undefined;
    open.delete(id);
    for (const settle of found.waiting) settle();
    return found;
  }

  function keep(page: UrlAsked): void {
    const id = page.elicitationId;
    if (id === undefined || open.has(id)) return;
    if (open.size >= maxOpen) close(open.keys().next().value);
    open.set(id, { page, waiting: [] });
  }

  /** Kept from the moment it is asked for: the user can be done with it before the answer is given. */
  const keeping =
    (url: NonNullable<Answers['url']>): NonNullable<Answers['url']> =>
    async (asked, signal, progress) => {
      keep(asked);
      let action: unknown;
      try {
        const result = await url(asked, signal, progress);
        action = result?.action;
        return result;
      } finally {
        if (action !== 'accept') close(asked.elicitationId);
      }
    };

  const closed = ({ elicitationId }: RequiredPage): Promise<void> | undefined => {
    const found = open.get(elicitationId);
    return found && new Promise<void>((resolve) => found.waiting.push(resolve));
  };

  return {
    answers: answers.url === undefined ? answers : { ...answers, url: keeping(answers.url) },
    told({ params }) {
      const found = close(params?.elicitationId as string | undefined);
      return found && answers.pageDone?.(found.page);
    },
    async done(pages, signals) {
      for (const signal of signals) signal.throwIfAborted();
      return new Promise<boolean>((resolve, reject) => {
        const listening = signals.map((signal) => ({ signal, run: () => settle(() => reject(signal.reason)) }));
        const late = deadlines.add(answers.pageTimeoutMs ?? 10 * 60_000, () => settle(() => resolve(false)));
        const settle = (how: () => void): void => {
          deadlines.cancel(late);
          for (const { signal, run } of listening) stopListening(signal, run);
          how();
        };
        for (const { signal, run } of listening) listenForAbort(signal, run);
        void Promise.all(pages.map(closed)).then(() => settle(() => resolve(true)));
      });
    },
  };
}
