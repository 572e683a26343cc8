/** The command: reads the words, converts the files under the paths, and prints the report. */
import { readArguments, Usage } from './arguments.ts';
import { migrate } from './migrate.ts';
import { failuresOf, printable, reportOf } from './report.ts';
import { PathProblem, readSources, writeSource } from './source-folder.ts';

/** Where the command runs, and where it prints. */
export interface Surroundings {
  readonly folder: string;
  readonly version: string;
  print(text: string): void;
  printError(text: string): void;
}

/** Runs the command; resolves to the exit code: 0, 1 if something failed or `--check` found something, 2 for wrong use. */
export async function runCommand(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const around: Surroundings = {
    ...surroundings,
    print: (text) => surroundings.print(printable(text)),
    printError: (text) => surroundings.printError(printable(text)),
  };
  try {
    return await run(words, around);
  } catch (error) {
    if (error instanceof Usage) {
      if (error.exitCode === 0) around.print(error.message);
      else around.printError(error.message);
      return error.exitCode;
    }
    const { code, message, stack } = error as NodeJS.ErrnoException;
    const isKnown = error instanceof PathProblem || code !== undefined;
    around.printError(`tenon-migrate: ${isKnown ? message : stack}\n`);
    return 2;
  }
}

async function run(words: readonly string[], around: Surroundings): Promise<number> {
  const { paths, mode, tidy } = readArguments(words, around.version);
  const { files, failures, links } = await readSources(paths, around.folder);
  const migration = migrate(files, { tidy });
  const all = [...failures, ...migration.failures];
  around.printError(failuresOf({ failures: all }));
  if (links > 0)
    around.printError(`tenon-migrate: ${links === 1 ? '1 link was' : `${links} links were`} not followed.\n`);
  if (!migration.usesSdk) {
    const nothing = `no file under ${paths.join(', ')} imports the official SDK`;
    if (migration.usesTenon) around.print(`Nothing to convert: ${nothing}.\n`);
    else
      around.printError(
        `tenon-migrate: ${nothing} (@modelcontextprotocol/sdk or /server). Name the folder of the server.\n`,
      );
    return migration.usesTenon && all.length === 0 ? 0 : 1;
  }
  if (mode === 'write') for (const file of migration.changed) await writeSource(file, around.folder);
  around.print(reportOf(migration, files, mode));
  return all.length > 0 || (mode === 'check' && migration.changed.length > 0) ? 1 : 0;
}
