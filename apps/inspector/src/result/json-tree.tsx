/** A JSON value as a tree that is opened place by place. What is closed is not in the document. */
import { useState } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';

interface NodeProps {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly depth: number;
  /** How deep it is open at first. */
  readonly openTo: number;
}

/**
 * On the page: parts of a tree at first.
 * @limit inspector
 * @beyond a button shows as many more
 */
const partsAtOnce = 100;

const maxTextChars = 2000;

export const JsonTree = ({ value, openTo = 2 }: { readonly value: unknown; readonly openTo?: number }) => (
  <div class="tree mono">
    <Node value={value} depth={0} openTo={openTo} />
  </div>
);

function Node({ value, name, depth, openTo }: NodeProps) {
  const parts = partsOf(value);
  if (parts === undefined)
    return (
      <div class="tree-row">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  return <Branch value={value} name={name} depth={depth} openTo={openTo} parts={parts} />;
}

type Parts = readonly (readonly [string, unknown])[];

function Branch({ value, name, depth, openTo, parts }: NodeProps & { readonly parts: Parts }) {
  const [isOpen, setOpen] = useState(depth < openTo && parts.length <= partsAtOnce);
  const [shown, setShown] = useState(partsAtOnce);
  const isList = Array.isArray(value);
  const summary = isList ? `[${parts.length}]` : `{${parts.length}}`;
  if (parts.length === 0)
    return (
      <div class="tree-row">
        <Name name={name} />
        <span class="json-mark">{isList ? '[]' : '{}'}</span>
      </div>
    );
  return (
    <div class="tree-node">
      <button type="button" class="tree-row tree-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <Name name={name} />
        <span class="faint">{isOpen ? summary : `${summary} ${preview(value)}`}</span>
      </button>
      {isOpen && (
        <div class="tree-parts">
          {parts.slice(0, shown).map(([key, part]) => (
            <Node key={key} value={part} name={key} depth={depth + 1} openTo={openTo} />
          ))}
          {parts.length > shown && (
            <button type="button" class="button quiet" onClick={() => setShown(shown + partsAtOnce)}>
              {parts.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const Name = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? <span class="unseen">All parts </span> : <span class="json-name">{name}: </span>;

function Leaf({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span class={kindOf(value)}>{JSON.stringify(value) ?? 'undefined'}</span>;
  const isLong = value.length > maxTextChars && !isWhole;
  return (
    <span class="json-text">
      {JSON.stringify(isLong ? `${value.slice(0, maxTextChars)}…` : value)}
      {isLong && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          all {value.length} characters
        </button>
      )}
    </span>
  );
}

const kindOf = (value: unknown): string => (typeof value === 'number' ? 'json-number' : 'json-word');

function partsOf(value: unknown): Parts | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value);
}

/** The first values of what is closed. */
function preview(value: unknown): string {
  const parts = partsOf(value)?.slice(0, 4) ?? [];
  const texts = parts.map(([key, part]) => {
    const text = typeof part === 'object' && part !== null ? '…' : String(JSON.stringify(part)).slice(0, 24);
    return Array.isArray(value) ? text : `${key}: ${text}`;
  });
  return texts.join(', ');
}
