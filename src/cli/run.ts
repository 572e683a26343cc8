/** Runs one command: finds it, reads its arguments, prints its result or its error, and returns the exit code. */
import { TenonError } from '../jsonrpc/errors.ts';
import { type ExitCode, exitCodeOf } from './exit-codes.ts';
import type { Io } from './io/io.ts';
import type { CommandSpec } from './manifest/command.ts';
import { commands } from './manifest/commands.ts';
import { commandHelp, overallHelp } from './manifest/help.ts';
import { readArguments } from './manifest/read-arguments.ts';
import { unknownName } from './usage-error.ts';

export async function run(args: readonly string[], io: Io, version: string): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const shown = commands.find((one) => one.name === rest[0]);
    io.out(`${shown === undefined ? overallHelp(commands) : commandHelp(shown)}\n`);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    io.out(`${version}\n`);
    return 0;
  }
  const began = io.now();
  const spec = commands.find((one) => one.name === name);
  const own = beforeDashes(rest);
  try {
    if (spec === undefined)
      throw unknownName(
        'command',
        name,
        commands.map((one) => one.name),
        'See tenon --help.',
      );
    if (own.includes('--help') || own.includes('-h')) {
      io.out(`${commandHelp(spec)}\n`);
      return 0;
    }
    return await runCommand(spec, rest, io, began);
  } catch (error) {
    return fail(error, spec?.name ?? name, own.includes('--json'), io, began);
  }
}

async function runCommand(spec: CommandSpec, args: readonly string[], io: Io, began: number): Promise<ExitCode> {
  const given = readArguments(spec, args, io);
  const command = await spec.load();
  const { result, text, exit = 0 } = await command.run(given);
  const ms = io.now() - began;
  if (given.isJson) io.out(`${JSON.stringify({ tenon: 1, command: spec.name, ok: exit === 0, ms, result })}\n`);
  else if (text !== '') io.out(`${text}\n`);
  return exit;
}

function fail(error: unknown, command: string, isJson: boolean, io: Io, began: number): ExitCode {
  if (io.signal.aborted) return 130;
  const exit = exitCodeOf(error);
  const { message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof TenonError ? error.code : 'failed';
  const hint = error instanceof TenonError ? error.hint : undefined;
  if (isJson) {
    const shown = { code, message, ...(hint !== undefined && { hint }) };
    io.out(`${JSON.stringify({ tenon: 1, command, ok: false, ms: io.now() - began, error: shown })}\n`);
  } else {
    // The message has the hint.
    io.err(`tenon: ${message}\n`);
  }
  return exit;
}

const beforeDashes = (args: readonly string[]): readonly string[] => {
  const dashes = args.indexOf('--');
  return dashes === -1 ? args : args.slice(0, dashes);
};
