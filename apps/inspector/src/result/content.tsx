/** One part of a result, by its kind: text, image, audio, link, or an embedded resource. */
import { useState } from 'preact/hooks';
import type { ContentBlock } from '../../../../src/protocol/generated/types/records.ts';
import { Segments } from '../controls/button.tsx';
import { shownBytes, shownValue } from '../controls/format.ts';
import { Icon } from '../controls/icon.tsx';
import { choose } from '../state/place.ts';
import { JsonTree } from './json-tree.tsx';
import { isMarkdown } from './markdown.ts';
import { MarkdownView } from './markdown-view.tsx';
import { MediaView } from './media.tsx';

export function ContentView({ block }: { readonly block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return <TextView text={block.text} />;
    case 'image':
    case 'audio':
      return <MediaView data={block.data} mimeType={block.mimeType} />;
    case 'resource_link':
      return (
        <LinkView uri={block.uri} title={block.title ?? block.name} about={block.description} type={block.mimeType} />
      );
    case 'resource':
      return <ResourceView contents={block.resource} isEmbedded />;
    default:
      return <JsonTree value={block} />;
  }
}

type View = 'text' | 'tree' | 'page';

/** A text as it is; as a tree if it is JSON, as a page if it is Markdown. */
export function TextView({ text, mimeType = '' }: { readonly text: string; readonly mimeType?: string | undefined }) {
  const json = parsed(text);
  const isPage = mimeType.startsWith('text/markdown') || (mimeType === '' && json === undefined && isMarkdown(text));
  const [view, setView] = useState<View | undefined>(undefined);
  const other: View | undefined = json !== undefined ? 'tree' : isPage ? 'page' : undefined;
  const shown = view ?? other ?? 'text';
  return (
    <div class="text-view">
      {other !== undefined && (
        <Segments
          label="How to show this text"
          value={shown}
          options={[
            [other, other === 'tree' ? 'Tree' : 'Page'],
            ['text', 'Text'],
          ]}
          onChange={setView}
        />
      )}
      {shown === 'tree' && json !== undefined && <JsonTree value={json.value} />}
      {shown === 'page' && <MarkdownView text={text} />}
      {shown === 'text' && <LongText text={text} />}
    </div>
  );
}

/**
 * On the page: characters of a text at first.
 * @limit inspector
 * @beyond a button shows more
 */
const maxChars = 20_000;

function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > maxChars && !isWhole;
  return (
    <>
      <pre class="mono plain-text">{isCut ? text.slice(0, maxChars) : text}</pre>
      {isCut && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          Show all {text.length} characters
        </button>
      )}
    </>
  );
}

/** Only objects and lists: a plain number is a text too. */
function parsed(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > 2_000_000) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

interface LinkProps {
  readonly uri: string;
  readonly title: string;
  readonly about?: string | undefined;
  readonly type?: string | undefined;
}

const maxLinkChars = 1000;

/** A link to a resource of the same server. */
const LinkView = ({ uri, title, about, type }: LinkProps) => (
  <button type="button" class="resource-link" onClick={() => choose({ section: 'resources', name: uri })}>
    <Icon name="link" />
    <span>
      <span class="resource-title">{shownValue(title, maxLinkChars)}</span>
      {about !== undefined && <span class="soft"> {shownValue(about, maxLinkChars)}</span>}
      <br />
      <span class="mono faint">{shownValue(uri, maxLinkChars)}</span>
    </span>
    {type !== undefined && <span class="chip">{shownValue(type)}</span>}
  </button>
);

interface Contents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

/** The contents of a resource. */
export function ResourceView({ contents, isEmbedded }: { readonly contents: Contents; readonly isEmbedded?: boolean }) {
  const { uri, mimeType, text, blob } = contents;
  return (
    <div class={isEmbedded ? 'embedded' : undefined}>
      <p class="contents-head">
        <Icon name="resources" />
        <span class="mono">{shownValue(uri, maxLinkChars)}</span>
        {mimeType !== undefined && <span class="chip">{shownValue(mimeType)}</span>}
        <span class="faint">{shownBytes(text?.length ?? Math.floor((blob?.length ?? 0) * 0.75))}</span>
      </p>
      {text !== undefined && <TextView text={text} mimeType={mimeType} />}
      {blob !== undefined && <MediaView data={blob} mimeType={mimeType ?? 'application/octet-stream'} />}
    </div>
  );
}
