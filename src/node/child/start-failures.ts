/** The error for a program that the system could not start, with a hint. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isWindows } from './command.ts';
import { commandLine } from './command-line.ts';
import type { CommandTarget } from './command-target.ts';

const hints: Readonly<Record<string, string>> = {
  E2BIG: 'Its arguments and variables are too long for the system: pass long values in a file.',
  EAGAIN: 'This user has too many processes: end some, or raise the limit (ulimit -u).',
  EMFILE: 'This process has too many open files: close some, or raise the limit (ulimit -n).',
  ENFILE: 'The system has too many open files: end some processes, or raise its limit.',
  ENOMEM: 'The system is out of memory: end some processes.',
};

/** The file itself was found before. */
const missingInterpreter =
  'Its first line names an interpreter that does not exist: fix that line, or start the file with its interpreter.';

const fallback = 'Check that the file is a program for this machine and is executable.';

export function startFailed(
  command: CommandTarget,
  cause: NodeJS.ErrnoException,
  platform = process.platform,
): TenonError {
  const { code = '', message } = cause;
  // Node adds all arguments to the error, secrets included.
  Reflect.deleteProperty(cause, 'spawnargs');
  const hint = code === 'ENOENT' && !isWindows(platform) ? missingInterpreter : hints[code];
  return new TenonError(
    code === 'ENOENT' ? 'command-not-found' : 'spawn-failed',
    `${commandLine(command)} could not be started: ${message}.`,
    { hint: hint ?? fallback, cause },
  );
}
