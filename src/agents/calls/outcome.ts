/** The outcome of a call: the result of a server in the parts that a model takes, or a text about what failed. */
import { type ModelPart, toModelContent } from '../../client/content/model-content.ts';
import type { CallToolResult } from '../../protocol/generated/types/records.ts';
import type { ToolOutcome } from '../api.ts';

export type ResultOutcome = Extract<ToolOutcome, { type: 'result' }>;
type MediaPart = Exclude<ModelPart, { type: 'text' }>;

/** What a result goes through before a model gets it. */
export interface ResultFitting {
  /** The media types that the model takes; absent if all. */
  readonly media: readonly string[] | undefined;
  /** The largest media part, in bytes. */
  readonly maxMediaBytes: number;
  shorten(text: string): string | Promise<string>;
}

/** The outcome of a call that failed on this side. */
export const failed = (callId: string, text: string): ResultOutcome => ({
  type: 'result',
  callId,
  isError: true,
  parts: [{ type: 'text', text }],
  text,
});

/** The outcome of a call that has an answer of its own. */
export const answered = (callId: string, text: string, found?: readonly string[]): ResultOutcome => ({
  type: 'result',
  callId,
  isError: false,
  parts: [{ type: 'text', text }],
  text,
  ...(found !== undefined && { found }),
});

export async function resultOutcome(
  callId: string,
  result: CallToolResult,
  fitting: ResultFitting,
): Promise<ResultOutcome> {
  const content = toModelContent(result, { media: 'included', maxChars: Number.POSITIVE_INFINITY });
  const parts = await Promise.all(content.parts.map((part) => fitted(part, fitting)));
  // A provider refuses a result without any part.
  const all: readonly ModelPart[] = parts.length === 0 ? [{ type: 'text', text: '[no content]' }] : parts;
  const text = all.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { type: 'result', callId, isError: content.isError, parts: all, text, result };
}

async function fitted(part: ModelPart, { media, maxMediaBytes, shorten }: ResultFitting): Promise<ModelPart> {
  if (part.type === 'text') return { type: 'text', text: await shorten(part.text) };
  const bytes = bytesOf(part);
  if (takes(media, part.mimeType) && bytes <= maxMediaBytes) return part;
  const why = bytes > maxMediaBytes ? `over ${maxMediaBytes} bytes` : 'this model does not take it';
  return { type: 'text', text: `[${part.type}, ${oneLine(part.mimeType)}, ${bytes} bytes: left out, ${why}]` };
}

const bytesOf = ({ data }: MediaPart): number => Math.floor((data.replace(/=+$/, '').length * 3) / 4);

/** A list without an entry for the type does not take it; `audio/*` takes all audio. */
function takes(media: readonly string[] | undefined, mimeType: string): boolean {
  const type = mimeType.toLowerCase().split(';')[0]?.trim() ?? '';
  return (
    media === undefined ||
    media.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
  );
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 100);
