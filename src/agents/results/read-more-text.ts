/** The answers of `read_more`: a range of a text, or the places where it has another text. */
import { endOfHead } from './cut.ts';
import { findText } from './find-text.ts';
import type { ReadMoreArguments } from './read-more-arguments.ts';

/** What the model gets. */
export interface ReadMoreAnswer {
  readonly isError: boolean;
  readonly text: string;
}

export const failed = (text: string): ReadMoreAnswer => ({ isError: true, text });

export const answerFor = (text: string, args: ReadMoreArguments, maxChars: number): ReadMoreAnswer =>
  args.find === undefined ? range(text, args, maxChars) : matches(text, args, args.find, maxChars);

function range(text: string, { handle, from }: ReadMoreArguments, maxChars: number): ReadMoreAnswer {
  if (from >= text.length) return failed(`${handle} has ${text.length} characters; from ${from} there are none.`);
  const shown = text.slice(from, from + maxChars);
  const isEnd = from + maxChars >= text.length;
  const end = from + (isEnd ? shown.length : endOfHead(shown, maxChars - 1));
  const place = `characters ${from} to ${end} of ${text.length}`;
  const next = isEnd ? 'This is the end.' : `Next: read_more({ handle: "${handle}", from: ${end} })`;
  return { isError: false, text: `${text.slice(from, end).replace(/\n$/, '')}\n[${place}. ${next}]` };
}

function matches(text: string, { handle, from }: ReadMoreArguments, find: string, maxChars: number): ReadMoreAnswer {
  const { text: pieces, total, shown, next } = findText(text, find, from, maxChars);
  const wanted = JSON.stringify(find);
  if (total === 0)
    return { isError: false, text: `[${handle} does not have ${wanted}${from > 0 ? ` from ${from} on` : ''}.]` };
  const count =
    next === undefined
      ? `${total} ${total === 1 ? 'place has' : 'places have'} ${wanted}.`
      : `${shown} of ${total} places that have ${wanted}.`;
  const more = next === undefined ? '' : ` Next: read_more({ handle: "${handle}", find: ${wanted}, from: ${next} })`;
  return { isError: false, text: `${pieces}\n[${count}${more}]` };
}
