/** What upstreams sent that no caller can get: counted by its method and the reason, and reported once. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { excerpt } from '../lib/text/excerpt.ts';
import { shown } from '../lib/text/shown.ts';

/** Reasons for which messages are counted apart. */
const maxReasons = 100;
const maxReasonChars = 300;

export class DroppedMessages {
  readonly #counts = new Map<string, number>();
  readonly #warn: (warning: TenonError) => void;

  constructor(warn: (warning: TenonError) => void) {
    this.#warn = warn;
  }

  /** Upstreams choose names and methods: they may be long, and have line breaks. */
  add(sentMethod: string, sentReason: string): void {
    const [method, reason] = [shown(sentMethod), excerpt(sentReason, maxReasonChars)];
    const whole = `${method}: ${reason}`;
    const key = this.#counts.has(whole) || this.#counts.size < maxReasons ? whole : 'others';
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    if (this.#counts.get(key) === 1) this.#warn(new TenonError('invalid-message', `${method} was dropped. ${reason}`));
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
