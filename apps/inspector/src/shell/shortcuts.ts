/** Keys that work everywhere. Ctrl stands for Command on a Mac too. */
import { focusNextQuestion } from '../activity/questions/focus-question.ts';
import { isPaletteOpen, runShown } from '../state/keys.ts';
import { showPane } from '../state/panes.ts';
import { choose, type Section } from '../state/place.ts';

/** By the key, not by what it types: with Alt a Mac types another character. */
const sectionKeys: Readonly<Record<string, Section>> = {
  Digit1: 'tools',
  Digit2: 'resources',
  Digit3: 'prompts',
  Digit4: 'apps',
  Digit5: 'server',
};

export function followShortcuts(): void {
  addEventListener('keydown', (event) => {
    const section = sectionKeys[event.code];
    // AltGr is Ctrl and Alt, and types characters.
    if (event.altKey && !event.ctrlKey && section !== undefined)
      return act(event, () => {
        choose({ section });
        showPane('section');
      });
    if (event.altKey && !event.ctrlKey && event.code === 'KeyA') return act(event, focusNextQuestion);
    if (event.key === '/' && !isTyping(event.target)) return act(event, () => searchField()?.focus());
    if (!event.ctrlKey && !event.metaKey) return undefined;
    // With Caps Lock it is a capital.
    if (event.key.toLowerCase() === 'k') return act(event, () => void (isPaletteOpen.value = !isPaletteOpen.value));
    if (event.key === 'Enter' && runShown.value !== undefined && !isInQuestion(event.target))
      return act(event, runShown.value);
    return undefined;
  });
}

function act(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  action();
}

const searchField = () => document.querySelector<HTMLElement>('.list input[type=search]');

/** A question has a form of its own. */
const isInQuestion = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.question, dialog') !== null;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
