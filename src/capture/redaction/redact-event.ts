/** An event of a tap as a capture has it: without secrets, a message as JSON. */
import type { TapEvent } from '../../transport/tap.ts';
import { maxRawChars } from '../format.ts';
import type { RedactionOptions } from '../options.ts';
import { Placeholders } from './placeholders.ts';
import { redactHeaders } from './redact-headers.ts';
import { MessageRedaction } from './redact-messages.ts';
import { redactAddress, redactText } from './redact-value.ts';

/** Of one capture: the same secret has the same placeholder in all of its events. */
export class EventRedaction {
  readonly #placeholders = new Placeholders();
  readonly #messages: MessageRedaction;

  constructor(options: Required<RedactionOptions>) {
    this.#messages = new MessageRedaction(this.#placeholders, options);
  }

  /** What has happened, without the number, the time and the connection. */
  redact(event: TapEvent): object {
    const { seq: _seq, at: _at, connection, ...occurrence } = event;
    const placeholders = this.#placeholders;
    switch (occurrence.kind) {
      case 'message': {
        const { text, ...rest } = occurrence;
        return { ...rest, ...this.#parsed(text, connection) };
      }
      case 'http': {
        const { headers, path, text, ...rest } = occurrence;
        return {
          ...rest,
          ...(path !== undefined && { path: redactAddress(path, placeholders) }),
          ...(headers && { headers: redactHeaders(headers, placeholders) }),
          ...(text !== undefined && { text: redactText(text, placeholders) }),
        };
      }
      case 'open':
        return { ...occurrence, peer: redactAddress(occurrence.peer, placeholders) };
      default:
        return { ...occurrence, text: redactText(occurrence.text, placeholders) };
    }
  }

  #parsed(text: string, connection: number): { readonly m: unknown } | { readonly raw: string } {
    try {
      return { m: this.#messages.redact(JSON.parse(text), connection) };
    } catch {
      return { raw: redactText(text.slice(0, maxRawChars), this.#placeholders) };
    }
  }
}
