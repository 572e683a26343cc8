/** Converts a result for a language model: content or structured content, limited in size, with notes about omitted parts. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { CallToolResult, ContentBlock } from '../../protocol/generated/types/records.ts';

/**
 * The options of `toModelContent`.
 * @area client
 * @of `toModelContent`
 * @noTable
 */
export interface ModelContentOptions {
  /**
   * Which part of a result is shown: `content`, `structured` content, or both. `deduplicated` leaves the structured content
   * out if a text has the same JSON. If the chosen part is missing, the other one is shown.
   * @default 'deduplicated'
   */
  readonly show?: 'content' | 'structured' | 'deduplicated';
  /**
   * Characters of a text for a model, media included.
   * @default 100,000
   * @beyond it is cut, with a note
   */
  readonly maxChars?: number;
  /**
   * Whether images, audio and binary resources are in `parts` as data (`included`), or described in text.
   * @default 'described'
   */
  readonly media?: 'described' | 'included';
}

/** A part of a result for a model. */
export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      /** What it is. */
      readonly type: 'image' | 'audio' | 'file';
      /** Bytes in Base64. */
      readonly data: string;
      /** The media type, such as `image/png`. */
      readonly mimeType: string;
    };

/** A result as a model reads it. */
export interface ModelContent {
  /** The parts, in order. */
  readonly parts: readonly ModelPart[];
  /** All text parts, joined by line breaks. */
  readonly text: string;
  /** Whether the tool reported an error. */
  readonly isError: boolean;
  /** How many characters were left out because of `maxChars`. */
  readonly omittedChars: number;
}

type Result = Pick<CallToolResult, 'content' | 'isError'> & { readonly structuredContent?: unknown };

/**
 * Converts a tool result for a language model: limited in size, media described, with notes about omitted parts.
 *
 * @example
 * ```ts
 * const { text, isError } = toModelContent(await client.tools.call('search', { q: 'mcp' }), { maxChars: 20_000 });
 * ```
 */
export function toModelContent(result: Result, policy: ModelContentOptions = {}): ModelContent {
  const { show = 'deduplicated', maxChars = 100_000, media = 'described' } = policy;
  const isError = result.isError === true;
  const parts = shownOf(result, show, media === 'included');
  const marked = isError ? [text('The tool reports an error:'), ...parts] : parts;
  const { included, cut } = within(marked, maxChars);
  const texts = included.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { parts: included, text: texts.join('\n'), isError, omittedChars: cut };
}

const text = (content: string): ModelPart => ({ type: 'text', text: content });

function shownOf(result: Result, show: NonNullable<ModelContentOptions['show']>, includesMedia: boolean): ModelPart[] {
  const { structuredContent: structured } = result;
  const blocks = result.content ?? [];
  const content = (): ModelPart[] => [
    ...blocks.filter(isForModel).map((block) => partOf(block, includesMedia)),
    ...forUsers(blocks),
  ];
  if (structured === undefined || (show === 'content' && blocks.length > 0)) return content();
  const whole = text(JSON.stringify(structured));
  if (show !== 'deduplicated') return [whole];
  return blocks.some(repeatsOf(structured)) ? content() : [...content(), whole];
}

/** Whether a text for the model has the same JSON as the structured content, which is written once: there may be many texts. */
function repeatsOf(structured: unknown): (block: ContentBlock) => boolean {
  const written = canonicalJson(structured);
  return (block) => {
    if (block.type !== 'text' || !isForModel(block)) return false;
    try {
      return canonicalJson(JSON.parse(block.text)) === written;
    } catch {
      return block.text === structured;
    }
  };
}

/** The annotations of a part may limit it to the user. */
const isForModel = ({ annotations }: ContentBlock): boolean =>
  annotations?.audience === undefined ||
  annotations.audience.length === 0 ||
  annotations.audience.includes('assistant');

function forUsers(blocks: readonly ContentBlock[]): ModelPart[] {
  const count = blocks.filter((block) => !isForModel(block)).length;
  return count === 0 ? [] : [text(`[${count === 1 ? 'one part is' : `${count} parts are`} for the user alone]`)];
}

function partOf(block: ContentBlock, includesMedia: boolean): ModelPart {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
    case 'audio':
      return media(block.type, block.type, block, includesMedia);
    case 'resource': {
      const { uri, mimeType = 'application/octet-stream' } = block.resource;
      const named = `resource ${line(uri)}`;
      if ('blob' in block.resource) return media('file', named, { data: block.resource.blob, mimeType }, includesMedia);
      return text(`[${named}]\n${block.resource.text}`);
    }
    case 'resource_link': {
      const { name, uri, description } = block;
      return text(`[link ${line(name)}: ${line(uri)}${description === undefined ? '' : `, ${line(description)}`}]`);
    }
    default:
      return text(`[a part of an unknown kind: ${line(String((block as { type?: unknown }).type))}]`);
  }
}

function media(
  kind: 'image' | 'audio' | 'file',
  named: string,
  { data, mimeType }: { readonly data: string; readonly mimeType: string },
  isIncluded: boolean,
): ModelPart {
  return isIncluded ? { type: kind, data, mimeType } : text(described(named, data, mimeType));
}

const described = (named: string, data: string, mimeType: string): string =>
  `[${named}, ${line(mimeType)}, ${Math.floor(((data.length - paddingOf(data)) * 3) / 4)} bytes]`;

/** Base64 ends with up to two of them. */
const paddingOf = (data: string): number => (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);

/** Text of a server on one line, so that it stays inside its note. */
const line = (name: string): string => name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

/** Parts in order up to the limit; omitted characters are counted, and a note has their number. */
function within(parts: readonly ModelPart[], maxChars: number): { included: readonly ModelPart[]; cut: number } {
  const included: ModelPart[] = [];
  let left = maxChars;
  let cut = 0;
  for (const part of parts) {
    if (part.type !== 'text' && part.data.length > left) {
      included.push(text(`${described(part.type, part.data, part.mimeType).slice(0, -1)}, left out]`));
      cut += part.data.length;
      continue;
    }
    const size = part.type === 'text' ? part.text.length : part.data.length;
    const shown = part.type === 'text' && size > left ? beginning(part.text, left) : undefined;
    if (shown === undefined) included.push(part);
    else if (shown.length > 0) included.push(text(shown));
    cut += shown === undefined ? 0 : size - shown.length;
    left = shown === undefined ? left - size : 0;
  }
  const textCut = cut > 0 ? [text(`[${cut} characters were left out]`)] : [];
  return { included: [...included, ...textCut], cut };
}

/** The beginning of a text, without half a surrogate pair at its end. */
function beginning(full: string, length: number): string {
  const last = full.charCodeAt(length - 1);
  return full.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
