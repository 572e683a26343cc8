/** The parts of a result that a model gets: texts shortened, media that it takes, handles for the rest. */
import { type ModelPart, toModelContent } from '../../client/content/model-content.ts';
import { fromBase64 } from '../../lib/text/base64.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { CallToolResult, ContentBlock } from '../../protocol/generated/types/records.ts';
import type { ResultHandles } from './handles.ts';
import { bytesOf, describeBytes } from './stored-content.ts';
import { type MediaPart, trueMedia } from './true-media.ts';

export interface ModelPartsPorts {
  readonly handles: ResultHandles;
  /** The server of the tool, which linked resources are read from. */
  readonly server?: string | undefined;
  /** The media types that the model takes, such as `image/png` or `audio/*`. Absent: all. */
  readonly media?: readonly string[] | undefined;
  /** Makes an image smaller that has more than `maxMediaBytes`. */
  readonly resizeImage?: ((image: MediaPart) => MaybePromise<MediaPart>) | undefined;
  readonly maxChars: number;
  /** Bytes of one part; beyond it `resizeImage` is called for an image, and what is still larger is described. */
  readonly maxMediaBytes: number;
  /** Called with the error of `resizeImage`. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Linked resources of one result that get a handle. More would displace the other handles.
 * @limit agents
 * @beyond the others are described
 */
export const maxLinks = 16;

/**
 * Images, sounds and files of one result that get a handle, since the model cannot get them as they are. More would displace the other handles.
 * @limit agents
 * @beyond the others are described
 */
export const maxStoredMedia = 16;

/** Text in bytes, which a model can read. */
const textual = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|sql)\b|[^;]+\+(?:json|xml)\b)/i;

/** The result of a tool, in order. If the texts are too long together, they become one, before the media. */
export async function toModelParts(result: CallToolResult, ports: ModelPartsPorts): Promise<readonly ModelPart[]> {
  const links = (result.content ?? []).filter(({ type }) => type === 'resource_link');
  const handled = new Set(links.slice(0, maxLinks));
  const content = await Promise.all(
    (result.content ?? []).map((block) => (handled.has(block) ? withHandle(block, ports) : block)),
  );
  const shown = toModelContent({ ...result, content }, { media: 'included', maxChars: Infinity }).parts;
  const own = { ...ports, handles: withRoomFor(maxStoredMedia, ports.handles) };
  const parts = await Promise.all(shown.map((part) => (part.type === 'text' ? part : mediaFor(part, own))));
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  // A provider refuses a result without any part.
  if (parts.length === 0) return [{ type: 'text', text: '[no content]' }];
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  if (chars <= ports.maxChars) return parts;
  const text = await ports.handles.shorten(texts.join('\n'));
  return [{ type: 'text', text }, ...parts.filter((part) => part.type !== 'text')];
}

/** A link becomes a text with a handle: a model reads what was linked, never any address. */
async function withHandle(block: ContentBlock, { handles, server }: ModelPartsPorts): Promise<ContentBlock> {
  if (block.type !== 'resource_link') return block;
  const { uri, name, description, annotations } = block;
  const handle = await handles.store({ type: 'link', uri, server });
  const about = description === undefined ? '' : `, ${oneLine(description)}`;
  const reading = handle === undefined ? '' : `. read_more({ handle: "${handle}" }) reads it`;
  const text = `[link ${oneLine(name)}: ${oneLine(uri)}${about}${reading}]`;
  return { type: 'text', text, ...(annotations && { annotations }) };
}

/** Handles of which so many can be made. */
function withRoomFor(max: number, { store }: ResultHandles): Pick<ResultHandles, 'store'> {
  let made = 0;
  return { store: async (content) => (made++ < max ? store(content) : undefined) };
}

type MediaPorts = Omit<ModelPartsPorts, 'handles'> & { readonly handles: Pick<ResultHandles, 'store'> };

async function mediaFor(
  part: MediaPart,
  { handles, media, maxMediaBytes, resizeImage, onError }: MediaPorts,
): Promise<ModelPart> {
  const text = part.type === 'file' && textual.test(part.mimeType) ? textIn(part.data) : undefined;
  if (text !== undefined) return { type: 'text', text };
  const valid = trueMedia(part);
  const isLarge = valid?.type === 'image' && bytesOf(valid.data) > maxMediaBytes;
  const sent = isLarge && resizeImage !== undefined ? await resized(valid, resizeImage, onError) : valid;
  const fits = sent !== undefined && bytesOf(sent.data) <= maxMediaBytes;
  if (fits && takes(media, sent.mimeType)) return sent;
  const { mimeType, data } = part;
  const handle = await handles.store({ type: 'data', mimeType, data });
  const why = sent === undefined ? 'not valid' : fits ? 'cannot be shown' : 'too large to be shown';
  const stored = handle === undefined ? '' : `, stored as ${handle}`;
  return { type: 'text', text: `[${part.type}, ${describeBytes(oneLine(mimeType), bytesOf(data))}, ${why}${stored}]` };
}

/** The image as it is, if it cannot be made smaller. */
async function resized(
  image: MediaPart,
  resize: NonNullable<ModelPartsPorts['resizeImage']>,
  onError: ModelPartsPorts['onError'],
): Promise<MediaPart> {
  try {
    return await resize(image);
  } catch (error) {
    onError?.(error);
    return image;
  }
}

function takes(media: readonly string[] | undefined, mimeType: string): boolean {
  const [type = ''] = mimeType.toLowerCase().split(';');
  return (
    media === undefined ||
    media.some((one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
  );
}

function textIn(data: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(data));
  } catch {
    return undefined;
  }
}

/** Text of a server stays inside its note. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
