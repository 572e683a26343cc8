/** The conversations of the founding documents, as they are printed: files of messages, and how a test reads them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Line } from '../transport/recorded-connection.ts';

type Json = Line['message'];

/** A message; one that is not printed is left out by the document, such as an answer. */
export interface PrintedLine extends Line {
  readonly isPrinted: boolean;
}

const folder = 'test/protocol/transcripts/printed';

/** The conversations, by the word of their document and what they are about. */
export const printedNames: readonly string[] = readdirSync(folder).map((file) => file.replace('.txt', ''));

/** A line of a file begins with `>` for the client or `<` for the server, after `+` if the document leaves it out. */
export const printedLines = (name: string): readonly PrintedLine[] =>
  readFileSync(join(folder, `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => ({
      from: line[1] === '>' ? 'client' : 'server',
      message: JSON.parse(line.slice(3)) as Json,
      isPrinted: line[0] === ' ',
    }));

const documents = { digest: '000', 'client-details': '001', reference: '003', fundamentals: '004' } as const;
const seeds = resolve(process.env.TENON_SEEDS ?? '../shared/seeds');

/** The text of the document of a conversation; `undefined` where the documents are not beside the repository. */
export function documentOf(name: string): string | undefined {
  if (!existsSync(seeds)) return undefined;
  const [, number] = Object.entries(documents).find(([word]) => name.startsWith(word)) ?? [];
  const file = readdirSync(seeds).find((one) => number !== undefined && one.startsWith(number));
  return file && readFileSync(join(seeds, file), 'utf8');
}

/** Without spaces, line breaks and `.0`: the documents print each message on many lines. */
export const packed = (text: string): string => text.replaceAll(/\s+/g, '').replaceAll(/(\d)\.0(?=[,}])/g, '$1');

/** Whether a notification of the server belongs to no call: it follows the answers to all requests of the client. */
export function isAlone(lines: readonly PrintedLine[], at: number): boolean {
  const open = new Set<unknown>();
  for (const { from, message } of lines.slice(0, at)) {
    if (from === 'client' && message.method !== undefined && message.id !== undefined) open.add(message.id);
    if (from === 'server' && message.method === undefined) open.delete(message.id);
    const { requestId } = (message.params ?? {}) as Json;
    open.delete(requestId);
  }
  return open.size === 0;
}
