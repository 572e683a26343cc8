/** URL elicitations that the user agreed to, until the server reports them complete. */

import { RpcError } from '../../jsonrpc/errors.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { ElicitResult } from '../../protocol/generated/types/records.ts';
import type { Notification } from '../../protocol/neutral.ts';
import { type RequiredUrl, requiredUrls } from '../../protocol/required-urls.ts';
import {
  type ClientHandlers,
  type ElicitUrlRequest,
  type PassedRequests,
  type PassingHandlers,
  passedRequests,
} from './handlers.ts';
import { openableUrl } from './openable-url.ts';

/**
 * URL elicitations that are not complete.
 * @limit client
 * @beyond the oldest is forgotten
 */
const maxOpen = 1000;

/**
 * The URLs that the user has to open before a call, normalised, as the error of the server requires. None for any other
 * error, or if one of them has a scheme that is not among `schemes` (http and https by default), a user name or a password.
 */
export function toRequiredUrls(error: unknown, schemes?: readonly string[]): readonly RequiredUrl[] {
  if (!(error instanceof RpcError) || error.reason !== 'url-elicitation-required') return [];
  const shown: RequiredUrl[] = [];
  for (const required of requiredUrls(error.data) ?? []) {
    const url = openableUrl(required.url, schemes);
    if (url === undefined) return [];
    shown.push({ ...required, url });
  }
  return shown;
}

const passedIn = (handlers: ClientHandlers): PassedRequests | undefined =>
  (handlers as PassingHandlers)[passedRequests];

interface OpenElicitation {
  readonly elicitation: ElicitUrlRequest;
  readonly onComplete: ClientHandlers['onElicitationComplete'];
  readonly waiting: Array<() => void>;
}

export class UrlElicitations {
  /** The handlers of the user; `elicitUrl` also tracks its requests here. */
  readonly answers: ClientHandlers;
  readonly #userAnswers: ClientHandlers;
  readonly #deadlines: Deadlines;
  readonly #timeoutMs: number;
  /** Made on first use. */
  #open: Map<string, OpenElicitation> | undefined;

  constructor(answers: ClientHandlers, deadlines: Deadlines, timeoutMs: number) {
    this.#userAnswers = answers;
    this.#deadlines = deadlines;
    this.#timeoutMs = timeoutMs;
    this.answers = this.#tracked(answers);
  }

  /** The handlers of one call: its own before those of the client. */
  answersOf(own: ClientHandlers): ClientHandlers {
    return this.#tracked({ ...this.#userAnswers, ...own });
  }

  /** The server reports an elicitation complete. An unknown one is ignored. Returns what `onElicitationComplete` returned. */
  onComplete({ params }: Notification): unknown {
    const id = params?.elicitationId as string | undefined;
    const found = this.#close(id);
    if (found !== undefined) return found.onComplete?.(found.elicitation);
    return id === undefined ? undefined : passedIn(this.#userAnswers)?.elicitationCompleted?.(id);
  }

  /** Whether all of these complete within the time that a call may wait. Rejects when a signal is aborted. */
  async completed(required: readonly RequiredUrl[], signals: readonly AbortSignal[]): Promise<boolean> {
    for (const signal of signals) signal.throwIfAborted();
    const deadlines = this.#deadlines;
    return new Promise<boolean>((resolve, reject) => {
      const listening = signals.map((signal) => ({ signal, run: () => settle(() => reject(signal.reason)) }));
      const deadline = deadlines.add(this.#timeoutMs, () => settle(() => resolve(false)));
      const settle = (deliver: () => void): void => {
        deadlines.cancel(deadline);
        for (const { signal, run } of listening) stopListening(signal, run);
        deliver();
      };
      for (const { signal, run } of listening) listenForAbort(signal, run);
      void Promise.all(required.map((page) => this.#closed(page))).then(() => settle(() => resolve(true)));
    });
  }

  #tracked(answers: ClientHandlers): ClientHandlers {
    const { elicitUrl, onElicitationComplete } = answers;
    if (elicitUrl === undefined) return answers;
    const passed = passedIn(answers);
    return {
      ...answers,
      elicitUrl: this.#tracking(elicitUrl, onElicitationComplete),
      ...(passed && { [passedRequests]: this.#trackingPassed(passed, onElicitationComplete) }),
    };
  }

  /** A request for a URL is tracked as if a handler got it. */
  #trackingPassed(passed: PassedRequests, onComplete: ClientHandlers['onElicitationComplete']): PassedRequests {
    return {
      ...passed,
      answer: async (request, context) => {
        if (request.params?.mode !== 'url') return passed.answer(request, context);
        const url = this.#tracking(
          async () => (await passed.answer(request, context)) as unknown as ElicitResult,
          onComplete,
        );
        return (await url(request.params as unknown as ElicitUrlRequest, context)) as unknown as Fields;
      },
    };
  }

  /** Tracked from the start: the server can report it complete before the handler has returned. */
  #tracking(
    url: NonNullable<ClientHandlers['elicitUrl']>,
    onComplete: ClientHandlers['onElicitationComplete'],
  ): NonNullable<ClientHandlers['elicitUrl']> {
    return async (request, context) => {
      this.#track(request, onComplete);
      let action: unknown;
      try {
        const result = await url(request, context);
        action = result?.action;
        return result;
      } finally {
        if (action !== 'accept') this.#close(request.elicitationId);
      }
    };
  }

  #track(elicitation: ElicitUrlRequest, onComplete: ClientHandlers['onElicitationComplete']): void {
    this.#open ??= new Map();
    const id = elicitation.elicitationId;
    if (id === undefined || this.#open.has(id)) return;
    if (this.#open.size >= maxOpen) this.#close(this.#open.keys().next().value);
    this.#open.set(id, { elicitation, onComplete, waiting: [] });
  }

  #close(id: string | undefined): OpenElicitation | undefined {
    const found = id === undefined ? undefined : this.#open?.get(id);
    if (id === undefined || found === undefined) return undefined;
    this.#open?.delete(id);
    for (const settle of found.waiting) settle();
    return found;
  }

  #closed({ elicitationId }: RequiredUrl): Promise<void> | undefined {
    const found = this.#open?.get(elicitationId);
    return found && new Promise<void>((resolve) => found.waiting.push(resolve));
  }
}
