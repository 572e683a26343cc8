/** `tenon package`: writes what registries and clients need of a server, or compares it with what is there. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandResult, RunCommand } from '../../io/command.ts';
import { withSpinner } from '../../output/progress.ts';
import { changedFields, changeText, type FieldChange } from '../../packaging/drift.ts';
import { marks } from '../../packaging/install-links.ts';
import { jsonText, type MadePackage, makePackage, readJson } from '../../packaging/make-package.ts';

export const run: RunCommand = async ({ io, words, flag }) => {
  const folder = resolve(io.cwd, words[0] ?? '.');
  const made = await withSpinner(io, 'packaging', () => makePackage(folder, io));
  const changes = await changesOf(folder, made);
  return flag('check') ? checked(changes) : write(folder, made, changes);
};

/** What in the folder is not as it would be written. */
async function changesOf(folder: string, { documents, readme, bundle }: MadePackage): Promise<readonly FieldChange[]> {
  const changes: FieldChange[] = [];
  for (const [file, document] of documents)
    changes.push(...changedFields(file, await readJson(join(folder, file)), JSON.parse(JSON.stringify(document))));
  const before = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  if (readme !== undefined && readme !== before)
    changes.push({ file: 'README.md', field: 'install links', is: linksIn(before), shouldBe: linksIn(readme) });
  if (bundle !== undefined) {
    // It is made again for each release, and need not be there.
    const bytes = await readFile(join(folder, bundle.file)).catch(() => undefined);
    if (bytes !== undefined && !bytes.equals(bundle.bytes))
      changes.push({ file: bundle.file, field: '', is: `${bytes.length} bytes`, shouldBe: `sha256 ${bundle.sha256}` });
  }
  return changes;
}

const linksIn = (readme: string): string =>
  readme.slice(readme.indexOf(marks.begin) + marks.begin.length, readme.indexOf(marks.end)).trim();

const checked = (changes: readonly FieldChange[]): CommandResult =>
  changes.length === 0
    ? { result: { changes }, text: 'What is published is what the server says.' }
    : {
        result: { changes },
        text: [...changes.map(changeText), 'Run tenon package, and commit what it writes.'].join('\n'),
        exit: 1,
      };

async function write(folder: string, made: MadePackage, changes: readonly FieldChange[]): Promise<CommandResult> {
  const { documents, readme, bundle, links } = made;
  const changed = new Set(changes.map(({ file }) => file));
  const written: string[] = [];
  const put = async (file: string, content: string | Uint8Array): Promise<void> => {
    await replace(join(folder, file), content);
    written.push(file);
  };
  if (bundle !== undefined) await put(bundle.file, bundle.bytes);
  if (readme !== undefined && changed.has('README.md')) await put('README.md', readme);
  // A file with the same values keeps its layout.
  for (const [file, document] of documents) if (changed.has(file)) await put(file, jsonText(document));
  const lines = [
    `Wrote ${written.length === 0 ? 'nothing: all is as it would be' : written.join(', ')}.`,
    ...(bundle === undefined
      ? []
      : [`${bundle.file} has ${bundle.files.join(', ')}: ${bundle.bytes.length} bytes, SHA-256 ${bundle.sha256}.`]),
    ...(bundle === undefined || bundle.leftOut.length === 0 ? [] : [`Left out of it: ${bundle.leftOut.join(', ')}.`]),
    ...(readme === undefined
      ? [
          `README.md has no place for install links. Write these two lines where they should be:`,
          marks.begin,
          marks.end,
        ]
      : []),
  ];
  return {
    result: { written, links, bundle: bundle && { ...bundle, bytes: bundle.bytes.length } },
    text: lines.join('\n'),
  };
}

/** In one step; a symbolic link is replaced, not followed. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const fresh = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(fresh, content, { flag: 'wx' });
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
