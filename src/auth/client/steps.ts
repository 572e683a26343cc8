/** The steps of an authorization: what was requested, found and decided, without secrets. */

import { TenonError, type TenonErrorCode } from '../../lib/errors/tenon-error.ts';
import { escapeControls } from '../../lib/text/control-characters.ts';
import { runSafely } from '../../lib/values/run-safely.ts';

/** What an authorization consists of. */
export type AuthStepName =
  | 'challenge'
  | 'resource-metadata'
  | 'server-metadata'
  | 'registration'
  | 'authorization'
  | 'token'
  | 'refresh'
  | 'quirk'
  | 'store'
  | 'sign-out';

/** One step of an authorization. It has no tokens, codes or secrets. */
export interface AuthStep {
  /** What was done. */
  readonly step: AuthStepName;
  /** The document or endpoint, without its query. */
  readonly url?: string | undefined;
  /** The HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** What was found, as a sentence. */
  readonly found: string;
  /** The rule that was applied, such as `RFC 9728, 3.1`. */
  readonly rule: string;
  /** What follows from it. */
  readonly next: string;
}

/**
 * Steps in an error. An authorization server may be polled for long.
 * @limit credentials
 * @beyond later ones go to `explain` only
 */
const maxSteps = 200;

/** What went wrong in a step, and what to change. */
export interface StepFailure extends Omit<AuthStep, 'next'> {
  readonly hint: string;
  readonly code?: TenonErrorCode;
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The record of one authorization. */
export class Steps {
  readonly all: AuthStep[] = [];
  readonly #server: string;
  readonly #explain: ((step: AuthStep) => void) | undefined;

  constructor(server: string, explain: ((step: AuthStep) => void) | undefined) {
    this.#server = server;
    this.#explain = explain;
  }

  add(step: AuthStep): void {
    const clean: AuthStep = { ...step, found: shownText(step.found) };
    const shown: AuthStep = step.url === undefined ? clean : { ...clean, url: shownUrl(step.url) };
    if (this.all.length < maxSteps) this.all.push(shown);
    // What a log does with a step does not change the authorization.
    runSafely(() => this.#explain?.(shown));
  }

  /** The error of the step that failed. It has all steps. */
  failure({ hint, code = 'authorization-failed', cause, details, ...step }: StepFailure): TenonError {
    this.add({ ...step, next: 'stop' });
    const where = step.url === undefined ? '' : ` (${shownUrl(step.url)})`;
    return new TenonError(
      code,
      `No access token for ${this.#server}: the step ${step.step}${where} failed: ${shownText(step.found)}`,
      {
        hint,
        details: { ...details, step: step.step, server: this.#server, steps: [...this.all] },
        ...(cause !== undefined && { cause }),
      },
    );
  }
}

/** Queries may hold codes. */
export const shownUrl = (url: string): string => escapeControls(url.replace(/[?#].*$/s, ''));

/**
 * Characters of the text of a step.
 * @limit credentials
 * @beyond it is cut
 */
const maxFoundChars = 1000;

/** A sentence for a terminal or a log: servers may have put anything into it. */
function shownText(found: string): string {
  const text = escapeControls(found.length > maxFoundChars ? `${found.slice(0, maxFoundChars)}…` : found);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
