/** Shows Markdown as elements. Links show where they lead, and open only by a click. */
import { useState } from 'preact/hooks';
import { type Block, readMarkdown, type Span } from './markdown.ts';

const maxChars = 20_000;

export function MarkdownView({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > maxChars && !isWhole;
  return (
    <div class="prose">
      {readMarkdown(isCut ? text.slice(0, maxChars) : text).map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
      {isCut && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          Show all {text.length} characters
        </button>
      )}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      // The page has its own headings: these are below them.
      return (
        <p class={`heading-${Math.min(block.level, 3)}`} role="heading" aria-level={Math.min(block.level + 3, 6)}>
          <Spans spans={block.spans} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <Spans spans={block.spans} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Spans spans={block.spans} />
        </blockquote>
      );
    case 'list': {
      const items = block.items.map((spans, at) => (
        <li key={at}>
          <Spans spans={spans} />
        </li>
      ));
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case 'code':
      return <pre class="mono">{block.text}</pre>;
    case 'table':
      return <TableView head={block.head} rows={block.rows} />;
    case 'rule':
      return <hr />;
  }
}

const TableView = ({ head, rows }: Pick<Block & { kind: 'table' }, 'head' | 'rows'>) => (
  <table>
    <thead>
      <tr>
        {head.map((spans, at) => (
          <th key={at}>
            <Spans spans={spans} />
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row, at) => (
        <tr key={at}>
          {row.map((spans, place) => (
            <td key={place}>
              <Spans spans={spans} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

export const Spans = ({ spans }: { readonly spans: readonly Span[] }) => (
  <>
    {spans.map((span, at) => (
      <SpanView key={at} span={span} />
    ))}
  </>
);

function SpanView({ span }: { readonly span: Span }) {
  switch (span.kind) {
    case 'text':
      return <>{span.text}</>;
    case 'code':
      return <code>{span.text}</code>;
    case 'strong':
      return <strong>{span.text}</strong>;
    case 'em':
      return <em>{span.text}</em>;
    case 'link':
      return (
        <a href={span.url} target="_blank" rel="noopener noreferrer" title={span.url}>
          {span.text}
        </a>
      );
  }
}
