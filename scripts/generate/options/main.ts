/** Writes the tables of options and the pages of limits; fails with every place that lacks a tag. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateOptions } from './generate.ts';
import { filesUnder, root, sourceTexts } from './source-texts.ts';

const { files, problems } = generateOptions(sourceTexts());

if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error(`\n${problems.length} to fix. docs/decisions/options.md has the tags.`);
  process.exitCode = 1;
} else {
  for (const [path, text] of files) write(join(root, path), text);
  for (const path of filesUnder('src')) if (path.endsWith('.table.ts') && !files.has(path)) rmSync(join(root, path));
}

/** Does not write a file that is up to date, so that file watchers and build stamps do not change. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
