/** The outcome of a call: the result of a server in the parts that a model takes, or a text about what failed. */
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { ToolOutcome } from '../api.ts';
import { type ModelPartsPorts, toModelParts } from '../results/model-parts.ts';

export type ResultOutcome = Extract<ToolOutcome, { type: 'result' }>;

/** The outcome of a call that failed on this side. */
export const failed = (callId: string, text: string): ResultOutcome => textOutcome(callId, { isError: true, text });

/** The outcome of a call that the toolkit answers itself. */
export const textOutcome = (
  callId: string,
  { isError, text, found }: { readonly isError: boolean; readonly text: string; readonly found?: readonly string[] },
): ResultOutcome => ({
  type: 'result',
  callId,
  isError,
  parts: [{ type: 'text', text }],
  text,
  ...(found !== undefined && found.length > 0 && { found }),
});

export async function resultOutcome(
  callId: string,
  result: CallToolResult,
  ports: ModelPartsPorts,
): Promise<ResultOutcome> {
  const parts = await toModelParts(result, ports);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { type: 'result', callId, isError: result.isError === true, parts, text, result };
}
