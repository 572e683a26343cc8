/** Questions drawn by clack, which is loaded at the first one. Texts may come from servers: control characters are escaped. */
import type { Readable, Writable } from 'node:stream';
// Not by name: an older Node, which has no styleText, would fail here instead of being named.
import util from 'node:util';
import type * as clackNames from '@clack/prompts';
import { escapeControls } from '../../lib/text/control-characters.ts';
import { PromptCanceled, type PromptOption, type Prompts } from '../io/prompts.ts';
import { clearLine } from '../io/status-line.ts';
import { wrapped } from '../output/wrapped.ts';

type Clack = typeof clackNames;

/** The options that are shown at once; a longer list scrolls, and is searched by typing. */
const maxItems = 12;

/** How clack is called: where it draws, and what ends the question. */
interface Drawing {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

export function clackPrompts(input: Readable, output: Writable): Prompts {
  let last: Promise<unknown> = Promise.resolve();
  let open = 0;

  /** One question at a time: a server can ask while another question is on the screen. */
  function ask<T>(
    signal: AbortSignal | undefined,
    draw: (clack: Clack, on: Drawing) => Promise<T | symbol>,
  ): Promise<T> {
    open += 1;
    const before = last;
    const answered = (async () => {
      await before;
      const clack = await import('@clack/prompts');
      if (signal?.aborted) throw new PromptCanceled();
      // A spinner may have drawn on this line.
      output.write(clearLine);
      const answer = await draw(clack, { input, output, signal: signal ?? new AbortController().signal });
      if (clack.isCancel(answer)) throw new PromptCanceled();
      return answer as T;
    })();
    last = answered.then(closed, closed);
    return answered;
  }

  const closed = (): void => void (open -= 1);

  return {
    text: ({ message, initial, placeholder, isSecret, check, signal }) =>
      ask<string>(signal, (clack, on) => {
        const shared = { ...on, message: inMargin(message, output), validate: (text = '') => check?.(text) };
        if (isSecret) return clack.password(shared);
        return clack.text({
          ...shared,
          ...(initial !== undefined && { initialValue: escapeControls(initial) }),
          ...(placeholder !== undefined && { placeholder: escapeControls(placeholder) }),
        });
      }),
    choose: <T>({ message, options, initial, signal }: Parameters<Prompts['choose']>[0]) =>
      ask<T>(signal, async (clack, on) => {
        const isSearched = options.length > maxItems;
        const shown = isSearched ? inMargin(message, output) : lines(message);
        const shared = { ...on, message: shown, options: shownOptions(options), maxItems };
        const initialValue = placeOf(options, initial);
        const place = await (isSearched
          ? clack.autocomplete({ ...shared, ...(initialValue !== undefined && { initialValue }) })
          : clack.select({ ...shared, ...(initialValue !== undefined && { initialValue }) }));
        return typeof place === 'number' ? (options[place]?.value as T) : place;
      }),
    chooseSome: <T>({ message, options, initial = [], signal }: Parameters<Prompts['chooseSome']>[0]) =>
      ask<readonly T[]>(signal, async (clack, on) => {
        const initialValues = initial.map((value) => placeOf(options, value)).filter((place) => place !== undefined);
        const isSearched = options.length > maxItems;
        const shown = isSearched ? inMargin(message, output) : lines(message);
        const shared = { ...on, message: shown, options: shownOptions(options), maxItems, initialValues };
        const places = await (isSearched
          ? clack.autocompleteMultiselect({ ...shared, required: false })
          : clack.multiselect({ ...shared, required: false }));
        return Array.isArray(places) ? places.map((place) => options[place]?.value as T) : (places as symbol);
      }),
    confirm: ({ message, initial = true, signal }) =>
      ask<boolean>(signal, (clack, on) => clack.confirm({ ...on, message: lines(message), initialValue: initial })),
    note: (text) => void output.write(`${bar()}  ${inMargin(text, output)}\n`),
    get isOpen() {
      return open > 0;
    },
  };
}

/** clack gets the index of each option as its value: the real values may be any JSON. */
const shownOptions = (options: readonly PromptOption<unknown>[]) =>
  options.map(({ label, hint }, value) => ({
    value,
    label: escapeControls(label),
    ...(hint !== undefined && { hint: escapeControls(hint) }),
  }));

function placeOf(options: readonly PromptOption<unknown>[], value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const place = options.findIndex((option) => JSON.stringify(option.value) === JSON.stringify(value));
  return place === -1 ? undefined : place;
}

/** The line at the left of a form. */
const bar = (): string => util.styleText('gray', '│');

const marginWidth = '│  '.length;

/** clack draws the line beside some questions only: beside the others, and notes, it is added here. */
function inMargin(text: string, output: Writable & { readonly columns?: number }): string {
  const columns = (output.columns || 80) - marginWidth;
  const fitting = lines(text)
    .split('\n')
    .flatMap((line) => wrapped(line, columns).split('\n'));
  return fitting.join(`\n${bar()}  `);
}

/** Line breaks stay. */
const lines = (text: string): string => text.split('\n').map(escapeControls).join('\n');
