/** The result of a call, a resource or a prompt as text, by what it has. */

import type { Fields } from '../../lib/values/is.ts';
import { type Pending, shownPending } from '../answers/question.ts';
import type { Io } from '../io/io.ts';
import type { CommandResult } from '../manifest/command.ts';
import { shownContent, shownResource, shownStructure } from './content.ts';
import { repeatsStructure } from './repeated-text.ts';
import { styleFor } from './style.ts';

/** The outcome of a command that waits for answers: exit code 5, on standard error. */
export const pendingResult = (pending: Pending): CommandResult => ({
  result: undefined,
  text: shownPending(pending),
  pending,
  exit: 5,
});

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
  // What is repeated as text, for models, a table says better.
  const own = parts.filter(({ type, text }) => type !== 'text' || !repeatsStructure(String(text), structuredContent));
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
