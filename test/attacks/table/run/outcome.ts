/** What came of an attack, in one form for every way it is sent. */
import type { Json } from '../attack.ts';

export interface Outcome {
  readonly status?: number;
  /** The code of the error, or `served`. */
  readonly code: number | string;
  /** The message of the error, or the text of the result. */
  readonly text: string;
  /** Everything that the attacker received, to compare and to search. */
  readonly raw: string;
}

/** A message that answers a request. The texts of tools that fail begin with a code. */
export function outcomeOfReply(reply: Json, raw = JSON.stringify(reply)): Outcome {
  const error = reply.error as { code: number; message: string } | undefined;
  if (error !== undefined) return { code: error.code, text: error.message, raw };
  const result = reply.result as Json | undefined;
  if (result?.resultType === 'input_required') return { code: 'input-required', text: '', raw };
  const text = textOf(result);
  if (result?.isError !== true) return { code: 'served', text, raw };
  const [, code = 'tool-error', message = text] = /^([a-z]+(?:-[a-z]+)+): (.*)$/s.exec(text) ?? [];
  return { code, text: message, raw };
}

function textOf(result: Json | undefined): string {
  const parts = (result?.content ?? result?.contents ?? []) as { text?: string }[];
  return parts.length > 0 ? parts.map(({ text = '' }) => text).join('') : JSON.stringify(result ?? '');
}

export function outcomeOfError(error: unknown): Outcome {
  const { code = 'error', message } = error as { code?: string; message: string };
  return { code, text: message, raw: `${message} ${JSON.stringify((error as { details?: unknown }).details)}` };
}
