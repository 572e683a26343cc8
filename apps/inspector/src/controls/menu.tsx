/** A button that opens a list of actions. Arrow keys move, Escape closes, focus returns to the button. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly text: string;
  readonly note?: string;
  readonly icon?: IconName;
  readonly isChecked?: boolean;
  readonly isDanger?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly class?: string;
  readonly items: readonly (MenuItem | string)[];
  readonly children: ComponentChildren;
  readonly side?: 'left' | 'right';
}

export function Menu({ label, items, children, side = 'left', class: buttonClass = 'icon-button' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (!isOpen || button.current === null || list.current === null) return undefined;
    putBelow(button.current, list.current, side);
    list.current.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    const onDown = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    // The list does not move with its button.
    const onMove = (): void => setOpen(false);
    addEventListener('pointerdown', onDown);
    addEventListener('resize', onMove);
    addEventListener('wheel', onMove);
    return () => {
      removeEventListener('pointerdown', onDown);
      removeEventListener('resize', onMove);
      removeEventListener('wheel', onMove);
    };
  }, [isOpen]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  return (
    <div class="menu" ref={box} onKeyDown={(event) => isOpen && onMenuKey(event, close)}>
      <button
        ref={button}
        type="button"
        class={buttonClass}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div ref={list} class="menu-list" role="menu" aria-label={label}>
          {items.map((item) =>
            typeof item === 'string' ? (
              <p key={item} class="menu-heading" role="presentation">
                {item}
              </p>
            ) : (
              <MenuRow key={item.text} item={item} close={close} />
            ),
          )}
        </div>
      )}
    </div>
  );
}

/** Fixed to the window and inside of it: a pane that scrolls would cut the list off. */
function putBelow(button: HTMLElement, list: HTMLElement, side: 'left' | 'right'): void {
  const { left, right, bottom, top } = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const gap = 4;
  const wanted = side === 'left' ? left : right - width;
  const isBelow = bottom + gap + height <= innerHeight || top < height;
  list.style.left = `${Math.max(gap, Math.min(wanted, innerWidth - width - gap))}px`;
  list.style.top = `${isBelow ? bottom + gap : top - gap - height}px`;
}

function MenuRow({ item, close }: { readonly item: MenuItem; readonly close: () => void }) {
  const { text, note, icon, isChecked, isDanger, onChoose } = item;
  const choose = (): void => {
    close();
    onChoose();
  };
  return (
    <button
      type="button"
      role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={isChecked}
      class={isDanger ? 'danger' : undefined}
      tabIndex={-1}
      onClick={choose}
    >
      {isChecked !== undefined && <span class="menu-check">{isChecked && <Icon name="check" />}</span>}
      {icon !== undefined && <Icon name={icon} />}
      <span>{text}</span>
      {note !== undefined && <small>{note}</small>}
    </button>
  );
}

function onMenuKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, close: () => void): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const moves: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  if (event.key === 'Escape' || event.key === 'Tab') close();
  const to = moves[event.key];
  if (to === undefined && event.key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  if (to !== undefined) rows.at(to % rows.length)?.focus();
}
