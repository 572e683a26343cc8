/** The result of a call, a resource or a prompt as text. */

import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import type { CommandResult } from '../io/command.ts';
import type { Io } from '../io/io.ts';
import { shownContent, shownResource, shownStructure } from './content.ts';
import { styleFor } from './style.ts';

export const commandResult = async (result: Fields, io: Io, folder: string | undefined): Promise<CommandResult> => ({
  result,
  text: await shownResult(result, io, folder),
  exit: result.isError === true ? 1 : 0,
});

export const isSignIn = ({ isSignedIn }: Fields): boolean => isSignedIn !== undefined;

/** What `tenon login` has done. */
export const loginResult = (result: Fields): CommandResult => ({
  result,
  text:
    result.isSignedIn === true ? `Signed in to ${result.url}.` : `${result.url} needs no sign-in, or has one already.`,
});

/** Saves what is not text to the folder, if there is one. */
async function shownResult(result: Fields, io: Io, folder: string | undefined): Promise<string> {
  if (Array.isArray(result.contents)) return shownContents(result.contents, io, folder);
  if (Array.isArray(result.messages)) return shownMessages(result.messages, io, folder);
  const { content, structuredContent } = result;
  const parts = Array.isArray(content) ? (content as Fields[]) : [];
  if (structuredContent === undefined) return shownContent(parts, io, folder);
  // Text that repeats the structured content is left out: the table shows it better.
  const repeats = repeatsOf(structuredContent);
  const own = parts.filter(({ type, text }) => type !== 'text' || !repeats(String(text)));
  const shown = own.length === 0 ? [] : [await shownContent(own, io, folder)];
  return [...shown, shownStructure(structuredContent, io)].join('\n');
}

async function shownContents(contents: readonly Fields[], io: Io, folder: string | undefined): Promise<string> {
  const texts: string[] = [];
  for (const [index, one] of contents.entries()) texts.push(await shownResource(one, index + 1, io, folder));
  return texts.join('\n');
}

async function shownMessages(messages: readonly Fields[], io: Io, folder: string | undefined): Promise<string> {
  const style = styleFor(io);
  const texts: string[] = [];
  for (const { role, content } of messages)
    texts.push(`${style.dim(String(role))} ${await shownContent([content as Fields], io, folder)}`);
  return texts.join('\n');
}

/**
 * Whether a text only repeats structured content, as servers do for models: all of it, one of its fields, or one item of
 * a list. Some servers wrap what a tool returns in a field.
 */
function repeatsOf(structure: unknown): (text: string) => boolean {
  const fields = isRecord(structure) ? Object.values(structure) : [];
  const values = [structure, ...fields, ...fields.flatMap((field) => (Array.isArray(field) ? field : []))];
  // Written once: there may be many values, and many texts.
  const written = new Set(values.map((one) => canonicalJson(one)));
  const texts = new Set(values.filter((one) => typeof one === 'string'));
  return (text) => {
    if (texts.has(text)) return true;
    const read = parsed(text);
    return read !== undefined && written.has(canonicalJson(read));
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
