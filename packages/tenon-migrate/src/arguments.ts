/** The words of the command line. */

export interface Arguments {
  readonly paths: readonly string[];
  /** `dry-run` prints what would change; `check` also fails if anything would. */
  readonly mode: 'write' | 'dry-run' | 'check';
  readonly tidy: boolean;
}

/** What the command prints instead of running. */
export class Usage extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

const help = `Usage: npx tenon-migrate PATH… [OPTIONS]

Converts servers of the official MCP SDK (version 1 or 2) to Tenon, statement by statement, and lists what is left for you.
PATH is a folder or a file. Commit before: files are changed where they are.

  --dry-run   prints what would change, and changes nothing
  --check     the same, and exits with 1 if anything would change
  --tidy      joins registrations at the top level of a file in the definition of their server
  --help      prints this text
  --version   prints the version
`;

export function readArguments(words: readonly string[], version: string): Arguments {
  const options = new Set(words.filter((word) => word.startsWith('-')));
  const paths = words.filter((word) => !word.startsWith('-'));
  if (options.has('--help') || options.has('-h')) throw new Usage(help, 0);
  if (options.has('--version')) throw new Usage(`${version}\n`, 0);
  for (const option of options) {
    if (['--dry-run', '--check', '--tidy'].includes(option)) continue;
    throw new Usage(`tenon-migrate: unknown option ${option}. Options are --dry-run, --check and --tidy.\n`, 2);
  }
  if (paths.length === 0) throw new Usage('tenon-migrate: the path is missing: npx tenon-migrate src/\n', 2);
  return {
    paths,
    mode: options.has('--check') ? 'check' : options.has('--dry-run') ? 'dry-run' : 'write',
    tidy: options.has('--tidy'),
  };
}
