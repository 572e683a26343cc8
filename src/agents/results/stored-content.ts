/** What is behind a handle, and how it is written into a store: a first line with its kind, then the content as it is. */

/** Content that a model gets in parts, or not at all. */
export type StoredContent =
  | { readonly type: 'text'; readonly text: string }
  /** Bytes in Base64. */
  | { readonly type: 'data'; readonly mimeType: string; readonly data: string }
  /** A resource that is read when the model asks for it. `server` is the one that linked it. */
  | { readonly type: 'link'; readonly uri: string; readonly server?: string | undefined };

export type ResourceLinkContent = Extract<StoredContent, { type: 'link' }>;

export function writeContent(content: StoredContent): string {
  switch (content.type) {
    case 'text':
      return `text\n${content.text}`;
    case 'data':
      return `data ${content.mimeType.replaceAll('\n', ' ')}\n${content.data}`;
    case 'link':
      return `link\n${JSON.stringify([content.uri, content.server])}`;
  }
}

/** `undefined` for what another version has written. */
export function readContent(stored: string): StoredContent | undefined {
  const end = stored.indexOf('\n');
  const kind = stored.slice(0, end);
  const content = stored.slice(end + 1);
  if (kind === 'text') return { type: 'text', text: content };
  if (kind.startsWith('data ')) return { type: 'data', mimeType: kind.slice('data '.length), data: content };
  if (kind !== 'link') return undefined;
  const [uri, server] = JSON.parse(content) as [string, string | null];
  return { type: 'link', uri, ...(server !== null && { server }) };
}

/** Such as `audio/wav, 1,200 bytes`. */
export const describeBytes = (mimeType: string, bytes: number): string =>
  `${mimeType}, ${bytes.toLocaleString('en-US')} bytes`;

/** The bytes of Base64 text. */
export function bytesOf(data: string): number {
  let end = data.length;
  while (data[end - 1] === '=') end--;
  return Math.floor((end * 3) / 4);
}
