/** Replaces content types that a revision does not have by text, and reduces lists of blocks to one block. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { chain, type Fit, type Step } from './steps.ts';

/** Content types that some revisions lack, with the text that replaces them. Unknown types are left as they are. */
const textFor: Readonly<Record<string, (block: Fields) => string>> = {
  audio: (block) => `[audio of type ${String(block.mimeType)}, which this connection cannot carry]`,
  resource_link: (block) => {
    const about = typeof block.description === 'string' ? ` (${block.description})` : '';
    return `${String(block.title ?? block.name)}: ${String(block.uri)}${about}`;
  },
  tool_use: (block) => `[call of ${String(block.name)} with ${JSON.stringify(block.input)}]`,
  tool_result: (block) => textOf(Array.isArray(block.content) ? block.content.filter(isRecord) : []),
};

const recordOfKind: Readonly<Record<string, string>> = {
  text: 'TextContent',
  image: 'ImageContent',
  audio: 'AudioContent',
  resource_link: 'ResourceLink',
  resource: 'EmbeddedResource',
  tool_use: 'ToolUseContent',
  tool_result: 'ToolResultContent',
};

/** Fits one block of content to the kinds and fields that a revision knows. */
export function contentFit(kinds: readonly string[], strip: (record: string) => Step, inner: Step): Step {
  const byKind = new Map<string, Fit>();
  for (const [kind, record] of Object.entries(recordOfKind)) {
    const describe = textFor[kind];
    const fit = chain(
      kinds.includes(kind) || describe === undefined ? undefined : describedBy(describe),
      strip(record),
      inner,
    );
    if (fit !== undefined) byKind.set(kind, fit);
  }
  if (byKind.size === 0) return undefined;
  return (block) => byKind.get(String(block.type))?.(block) ?? block;
}

const describedBy =
  (describe: (block: Fields) => string): Fit =>
  (block) => ({
    type: 'text',
    text: describe(block),
    ...(block.annotations === undefined ? {} : { annotations: block.annotations }),
  });

const textOf = (blocks: readonly Fields[]): string =>
  blocks
    .map((block) =>
      block.type === 'text' ? String(block.text) : (textFor[String(block.type)]?.(block) ?? `[${String(block.type)}]`),
    )
    .join('\n');

/** A sampling message with several blocks becomes several messages of the same role. */
export const oneBlockPerMessage: Fit = (params) => {
  const messages = params.messages;
  if (!Array.isArray(messages) || !messages.some((message) => Array.isArray(message?.content))) return params;
  const split = (message: Fields): Fields[] =>
    Array.isArray(message.content) ? message.content.map((content) => ({ ...message, content })) : [message];
  return { ...params, messages: messages.flatMap(split) };
};

/** A sampling answer with several blocks becomes one: the only one, or the words of all. */
export const oneBlock: Fit = (result) => {
  if (!Array.isArray(result.content)) return result;
  const blocks = result.content.filter(isRecord);
  return { ...result, content: blocks.length === 1 ? blocks[0] : { type: 'text', text: textOf(blocks) } };
};
