/** The command palette: everything that can be opened or done, by a few letters. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Cut } from '../controls/cut.tsx';
import { Icon } from '../controls/icon.tsx';
import { isPaletteOpen } from '../state/keys.ts';
import { type Command, commandsNow, ensureAllLists, matching } from './commands.ts';

const rowsAtMost = 50;

export const Palette = () => (isPaletteOpen.value ? <OpenPalette /> : null);

function OpenPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const at = useSignal(0);
  useEffect(() => dialog.current?.showModal(), []);
  // Sections that were not visited yet have no lists.
  useEffect(ensureAllLists);
  const found = matching(commandsNow(), text.value).slice(0, rowsAtMost);
  const close = (): void => void (isPaletteOpen.value = false);
  const run = (command: Command | undefined): void => {
    close();
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: at.value + 1, ArrowUp: at.value - 1 };
    const to = moves[event.key];
    if (event.key === 'Enter') run(found[at.value]);
    else if (to !== undefined) at.value = (to + found.length) % Math.max(found.length, 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
    document.getElementById(`command-${at.value}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Commands"
      onClose={close}
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search commands, tools, resources and prompts"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found.length === 0 ? undefined : `command-${at.value}`}
        placeholder="Search tools, resources, prompts, clients, commands"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
      />
      <ul id="commands" role="listbox" aria-label="Commands">
        {found.map((command, place) => (
          <li
            key={command.id}
            id={`command-${place}`}
            role="option"
            aria-selected={place === at.value}
            onPointerMove={() => (at.value = place)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span>
              <Cut text={command.text} />
            </span>
            <span class="faint">{command.note}</span>
          </li>
        ))}
      </ul>
      <p role="status" class={found.length === 0 ? 'empty' : undefined}>
        {found.length === 0 && 'Nothing matches.'}
      </p>
    </dialog>
  );
}
