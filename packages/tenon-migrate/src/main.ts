#!/usr/bin/env node
/** `npx tenon-migrate PATH…`: converts servers of the official SDK to Tenon, and reports the rest. */
import { readFileSync } from 'node:fs';
import { readArguments, Usage } from './arguments.ts';
import { migrate } from './migrate.ts';
import { failuresOf, reportOf } from './report.ts';
import { PathProblem, readSources, writeSource } from './source-folder.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Runs the command; resolves to the exit code. */
async function run(words: readonly string[]): Promise<number> {
  const { paths, mode, tidy } = readArguments(words, version);
  const { files, failures, links } = await readSources(paths);
  const migration = migrate(files, { tidy });
  const all = [...failures, ...migration.failures];
  process.stderr.write(failuresOf({ failures: all }));
  if (links > 0)
    process.stderr.write(`tenon-migrate: ${links === 1 ? '1 link was' : `${links} links were`} not followed.\n`);
  if (!migration.usesSdk) {
    const names = paths.join(', ');
    if (migration.usesTenon)
      process.stdout.write(`Nothing to convert: no file under ${names} imports the official SDK.\n`);
    else
      process.stderr.write(
        `tenon-migrate: no file under ${names} imports the official SDK (@modelcontextprotocol/sdk or /server).\n`,
      );
    return migration.usesTenon && all.length === 0 ? 0 : 1;
  }
  if (mode === 'write') for (const file of migration.changed) await writeSource(file);
  process.stdout.write(reportOf(migration, files, mode));
  return all.length > 0 || (mode === 'check' && migration.changed.length > 0) ? 1 : 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  if (error instanceof Usage) {
    (error.exitCode === 0 ? process.stdout : process.stderr).write(error.message);
    process.exitCode = error.exitCode;
  } else {
    const isKnown = error instanceof PathProblem || (error as NodeJS.ErrnoException).code !== undefined;
    process.stderr.write(`tenon-migrate: ${isKnown ? (error as Error).message : (error as Error).stack}\n`);
    process.exitCode = 2;
  }
}
