/** Removes secrets from messages. The answers of users to forms count as secrets, unless `keepAnswers` is set. */

import { isRequestId } from '../../jsonrpc/message.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { RedactionOptions } from '../options.ts';
import type { Placeholders } from './placeholders.ts';
import { redactValue, redactWhole } from './redact-value.ts';

/**
 * Forms that have not been answered, in all connections.
 * @limit capture
 * @beyond the oldest are forgotten: their answers are recognised by their form, as those of tasks are
 */
const maxOpenForms = 10_000;

export class MessageRedaction {
  readonly #placeholders: Placeholders;
  readonly #keepsAnswers: boolean;
  /** The ids of `elicitation/create`, with their connections. */
  readonly #forms = new Set<string>();

  constructor(placeholders: Placeholders, { keepAnswers }: Required<RedactionOptions>) {
    this.#placeholders = placeholders;
    this.#keepsAnswers = keepAnswers;
  }

  /** A message or a batch. */
  redact(message: unknown, connection: number): unknown {
    if (Array.isArray(message)) return message.map((one) => this.redact(one, connection));
    if (!isRecord(message)) return redactValue(message, this.#placeholders);
    return redactValue(this.#withoutAnswers(message, connection), this.#placeholders);
  }

  #withoutAnswers(message: Fields, connection: number): Fields {
    const { id, method, params, result } = message;
    const form = `${connection} ${JSON.stringify(id)}`;
    if (method === 'elicitation/create' && isRequestId(id)) this.#remember(form);
    if (this.#keepsAnswers) return message;
    if (method === undefined && isRecord(result) && (this.#forms.delete(form) || isAnswer(result)))
      return { ...message, result: this.#withoutContent(result) };
    if (!isRecord(params) || !isRecord(params.inputResponses)) return message;
    const inputResponses = Object.fromEntries(
      Object.entries(params.inputResponses).map(([key, answer]) => [
        key,
        isRecord(answer) && 'action' in answer ? this.#withoutContent(answer) : answer,
      ]),
    );
    return { ...message, params: { ...params, inputResponses } };
  }

  #withoutContent(answer: Fields): Fields {
    return 'content' in answer ? { ...answer, content: redactWhole(answer.content, this.#placeholders) } : answer;
  }

  #remember(form: string): void {
    this.#forms.add(form);
    const [oldest] = this.#forms;
    if (this.#forms.size > maxOpenForms && oldest !== undefined) this.#forms.delete(oldest);
  }
}

/** A form that ran as a task of the client is answered by the result of `tasks/result`. No other result has such fields. */
const isAnswer = ({ action, content }: Fields): boolean => typeof action === 'string' && isRecord(content);
