/** Content for programs: text, decoded bytes with their media type, links. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { fromBase64 } from '../../lib/text/base64.ts';
import { isRecord } from '../../lib/values/is.ts';
import type {
  AnyResourceContents,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  ReadResourceResult,
  ResourceLink,
} from '../../protocol/generated/types/records.ts';
import { withoutUnsafeIcons } from './safe-icons.ts';

/** A part of a result: text, decoded bytes, a link, or unknown content. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly mimeType?: string; readonly uri?: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly mimeType?: string; readonly uri?: string }
  | { readonly type: 'link'; readonly link: ResourceLink }
  /** Content of a type that this version does not know. */
  | { readonly type: 'other'; readonly block: unknown };

/** The parts of the result of a tool, a resource or a prompt, in order. Throws `invalid-result` for invalid Base64. */
export function toParts(
  result: Pick<CallToolResult, 'content'> | Pick<ReadResourceResult, 'contents'> | Pick<GetPromptResult, 'messages'>,
): Part[] {
  const value: unknown = result;
  if (isRecord(value)) {
    const { contents, content, messages } = result as Partial<CallToolResult & ReadResourceResult & GetPromptResult>;
    if (Array.isArray(contents)) return contents.map(contentsPart);
    if (Array.isArray(content)) return content.map(blockPart);
    if (Array.isArray(messages)) return messages.map((message) => blockPart(message.content));
  }
  throw new TenonError('invalid-argument', 'This is not the result of a tool, a resource or a prompt.', {
    hint: 'Pass what client.tools.call(), client.resources.read() or client.prompts.get() returned.',
  });
}

/**
 * All text of a result, joined by line breaks. Other content is left out.
 *
 * @example
 * ```ts
 * console.log(toText(await client.tools.call('forecast', { city: 'Rome' })));
 * ```
 */
export const toText = (result: Parameters<typeof toParts>[0]): string =>
  toParts(result)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');

function blockPart(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: 'bytes', bytes: decoded(block.data, block.type), mimeType: block.mimeType };
    case 'resource':
      return contentsPart(block.resource);
    case 'resource_link':
      return { type: 'link', link: withoutUnsafeIcons(block) };
    default:
      return { type: 'other', block };
  }
}

function contentsPart(contents: AnyResourceContents): Part {
  const { uri, mimeType } = contents;
  const about = mimeType === undefined ? { uri } : { uri, mimeType };
  return 'blob' in contents
    ? { type: 'bytes', bytes: decoded(contents.blob, uri), ...about }
    : { type: 'text', text: contents.text, ...about };
}

function decoded(data: string, place: string): Uint8Array {
  try {
    return fromBase64(data);
  } catch (cause) {
    throw new TenonError('invalid-result', `The bytes of ${place} are not Base64.`, { cause });
  }
}
