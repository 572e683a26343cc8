/** The error for a program that the system could not start, with a hint. */
import { TenonError } from '../../jsonrpc/errors.ts';
import { type CommandTarget, isWindows } from './command.ts';
import { commandLine } from './command-line.ts';

const hints: Readonly<Record<string, string>> = {
  E2BIG: 'Its arguments and variables are longer than the system takes: pass what is long in a file.',
  EAGAIN: 'The system starts no more processes for this user now: end some, or raise the limit (ulimit -u).',
  EMFILE:
    'This process may not open more files and pipes: close what it needs no more, or raise the limit (ulimit -n).',
  ENFILE: 'The system may not open more files and pipes: end what holds many, or raise its limit.',
  ENOMEM: 'The system has no memory left for one more process: end some.',
  // The file itself was found before.
  ...(!isWindows && {
    ENOENT:
      'Its first line names an interpreter that is not there: mend that line, or run the file by its interpreter.',
  }),
};

const fallback = 'Check that the file is a program for this machine, and that it may be run.';

export function startFailed(command: CommandTarget, cause: NodeJS.ErrnoException): TenonError {
  const { code = '', message } = cause;
  // Node adds all arguments to the error, secrets included.
  Reflect.deleteProperty(cause, 'spawnargs');
  return new TenonError(
    code === 'ENOENT' ? 'command-not-found' : 'spawn-failed',
    `${commandLine(command)} could not be started: ${message}.`,
    { hint: hints[code] ?? fallback, cause },
  );
}
