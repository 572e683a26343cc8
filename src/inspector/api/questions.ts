/** Questions: requests of a server or an authorization server to the user. Each waits until the page answers it. */
import type { ElicitFormRequest, ElicitUrlRequest } from '../../client/answers/handlers.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../../protocol/generated/types/records.ts';

/** A question that waits. */
export type Question = {
  /** Such as `q1`. */
  readonly id: string;
  /** The client that was asked. */
  readonly client: string;
  /**
   * The runs that it may belong to: one where the server says so, or where only one is running. In a session over stdio
   * a server does not say it. None if nothing is running, and for a sign-in.
   */
  readonly runs: readonly string[];
  readonly askedAt: number;
  /** Until when it can be answered, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
} & (
  | { readonly kind: 'form'; readonly request: ElicitFormRequest }
  /** Show the whole URL, and open it only when the user chooses to. `accept` means that the user agreed to open it. */
  | { readonly kind: 'url'; readonly request: ElicitUrlRequest }
  | { readonly kind: 'sampling'; readonly request: CreateMessageRequestParams }
  /** The authorization server's page to open. It closes by itself when the user has signed in there. */
  | { readonly kind: 'sign-in'; readonly url: string }
);

/** The answer to a question. What does not fit the kind is refused with `invalid-request`. */
export type Answer =
  /** To a form. `content` is checked against the form's schema; a problem comes back as `invalid-request`. */
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  /** To a URL: the user agrees to open it. */
  | { readonly action: 'accept' }
  /** To a form or a URL: refused, or closed without a choice. To a sign-in `cancel` stops it. */
  | { readonly action: 'decline' | 'cancel' }
  /** To sampling: the message of the model. */
  | { readonly action: 'sample'; readonly message: CreateMessageResult }
  /** To sampling: an error response. Default -1, "The user refused". */
  | { readonly action: 'refuse'; readonly code?: number; readonly message?: string };

/** Why a question has closed: the page answered it, the server no longer waits, or no answer came in time. */
export type QuestionClosed = 'answered' | 'withdrawn' | 'expired';
