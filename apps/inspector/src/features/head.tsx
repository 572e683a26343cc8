/** The head of an item: title, name and description. On a narrow screen with a button back to the list. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { IconButton } from '../controls/button.tsx';
import { choose } from '../state/place.ts';

interface HeadProps {
  readonly title: string;
  readonly name: string;
  readonly about?: string | undefined;
  readonly children?: ComponentChildren;
}

const longText = 280;

export function Head({ title, name, about = '', children }: HeadProps) {
  const [isWhole, setWhole] = useState(false);
  const isCut = about.length > longText && !isWhole;
  return (
    <header class="item-head">
      <div class="item-title">
        <span class="only-narrow back">
          <IconButton icon="left" label="Back to the list" onClick={() => choose({ name: undefined })} />
        </span>
        <h2>{title}</h2>
      </div>
      <div class="item-name">
        {title !== name && <code>{name}</code>}
        {children}
      </div>
      {about !== '' && (
        <p class="item-about">
          {isCut ? `${about.slice(0, longText)}… ` : about}
          {isCut && (
            <button type="button" class="text-button" onClick={() => setWhole(true)}>
              Show all
            </button>
          )}
        </p>
      )}
    </header>
  );
}
