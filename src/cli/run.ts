/** Runs one command: finds it, reads its arguments, prints its result or its error, and returns the exit code. */
import type { Client } from '../client/api/client.ts';
import { RpcError, standardCodes } from '../jsonrpc/errors.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import type { CommandSpec } from './io/command.ts';
import { type ExitCode, exitCodeOf } from './io/exit-codes.ts';
import type { Io } from './io/io.ts';
import { PromptCanceled } from './io/prompts.ts';
import { commands } from './manifest/commands.ts';
import { commandHelp, overallHelp } from './manifest/help.ts';
import { innerCommands } from './manifest/inner-commands.ts';
import { readArguments } from './manifest/read-arguments.ts';
import { jsonLine } from './output/json-line.ts';
import { shownHint, shownMessage } from './output/shown-hint.ts';
import { safeText } from './output/style.ts';
import { unknownName, usageError } from './usage-error.ts';

export async function run(args: readonly string[], io: Io, version: string): Promise<ExitCode> {
  const [name, ...rest] = commandFirst(args);
  if (name === undefined && io.canAsk) return chooseServer(io, version);
  if (name === '__complete') return complete(rest, io);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    // Help is text, also with `--json`.
    const about = rest.find((word) => !word.startsWith('-'));
    return help(name, about, io);
  }
  if (name === '--version' || name === '-v') {
    io.out(`${version}\n`);
    return 0;
  }
  const began = io.now();
  const spec = commands.find((one) => one.name === name);
  const own = beforeDashes(rest);
  try {
    if (spec === undefined) throw unknownCommand(name);
    if (asksForHelp(own)) return showHelp(spec, io);
    return await runCommand(spec, rest, io, began);
  } catch (error) {
    return fail(error, name.startsWith('-') ? 'tenon' : name, [name, ...own].includes('--json'), io, began);
  }
}

/** `--json` is accepted before the command too. */
function commandFirst(args: readonly string[]): readonly string[] {
  const [first, second, ...rest] = args;
  return first === '--json' && second !== undefined ? [second, first, ...rest] : args;
}

const asksForHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

function showHelp(spec: CommandSpec, io: Io): ExitCode {
  io.out(`${commandHelp(spec, io.columns)}\n`);
  return 0;
}

/** `tenon help COMMAND` and `tenon --help`. Without a command help is shown too, with exit code 2. */
function help(name: string | undefined, about: string | undefined, io: Io): ExitCode {
  const shown = commands.find((one) => one.name === about);
  if (name === 'help' && about !== undefined && shown === undefined)
    return fail(unknownCommand(about), 'help', false, io, io.now());
  io.out(`${shown === undefined ? overallHelp(commands, io.columns) : commandHelp(shown, io.columns)}\n`);
  return name === undefined ? 2 : 0;
}

function unknownCommand(name: string): TenonError {
  if (name === '--json') return usageError('COMMAND is missing.', 'See tenon --help.');
  if (name.startsWith('-'))
    return unknownName('option', name, ['--json', '--help', '--version'], 'Options stand after the command.');
  const names = commands.map((one) => one.name);
  return unknownName('command', name, names, 'See tenon --help.');
}

/** `tenon` alone, on a terminal. */
async function chooseServer(io: Io, version: string): Promise<ExitCode> {
  const { pickServer } = await import('./target/pick-server.ts');
  try {
    const picked = await pickServer(io);
    if (picked === undefined) return 0;
    if (picked !== 'nothing found') return await run(['repl', picked], io, version);
  } catch (error) {
    return fail(error, 'tenon', false, io, io.now());
  }
  io.out(`${overallHelp(commands, io.columns)}\n`);
  io.err('No servers were found in configuration files.\n');
  return 2;
}

/** Shells call it for each Tab: see `tenon completion`. */
async function complete(words: readonly string[], io: Io): Promise<ExitCode> {
  const { completeWords } = await import('./manifest/shell-completion.ts');
  for (const { value, about } of await completeWords(words, commands, io)) io.out(`${value}\t${about}\n`);
  return 0;
}

async function runCommand(
  spec: CommandSpec,
  args: readonly string[],
  io: Io,
  began: number,
  client?: Client,
): Promise<ExitCode> {
  const inner = innerCommands(commands, io, runOn);
  const given = readArguments(spec, args, { io, client, inner });
  const command = await spec.load();
  const { result, text, exit = 0, pending } = await command.run(given);
  const ms = io.now() - began;
  const outcome = pending === undefined ? { result } : { pending };
  if (given.isJson) io.out(jsonLine({ tenon: 1, command: spec.name, ok: exit === 0, ms, ...outcome }));
  else if (pending !== undefined) io.err(`${safeText(text)}\n`);
  else if (text !== '') io.out(`${io.isTerminal ? safeText(text) : text}\n`);
  return exit;
}

/** A command that was typed in `repl`. */
async function runOn(spec: CommandSpec, args: readonly string[], io: Io, client: Client): Promise<ExitCode> {
  const began = io.now();
  if (asksForHelp(args)) return showHelp(spec, io);
  try {
    return await runCommand(spec, args, io, began, client);
  } catch (error) {
    return fail(error, spec.name, args.includes('--json'), io, began);
  }
}

function fail(error: unknown, command: string, isJson: boolean, io: Io, began: number): ExitCode {
  const isInterrupted = io.signal.aborted || error instanceof PromptCanceled;
  if (isInterrupted) {
    const shown = { code: 'interrupted', message: 'Interrupted.' };
    if (isJson) io.out(jsonLine({ tenon: 1, command, ok: false, ms: io.now() - began, error: shown }));
    return 130;
  }
  const exit = exitCodeOf(error);
  const message = messageOf(error);
  const code = error instanceof TenonError ? error.code : 'failed';
  const hint = error instanceof TenonError && error.hint !== undefined ? shownHint(error.hint) : undefined;
  const step = error instanceof TenonError || error instanceof RpcError ? error.step : undefined;
  if (isJson) {
    const rpc =
      error instanceof RpcError
        ? { rpc: { code: error.code, reason: error.reason, data: error.data, method: error.method } }
        : {};
    const shown = { code, message, ...(hint !== undefined && { hint }), ...(step !== undefined && { step }), ...rpc };
    io.out(jsonLine({ tenon: 1, command, ok: false, ms: io.now() - began, error: shown }));
  } else {
    // The message has the hint.
    io.err(`tenon: ${safeText(message)}\n`);
  }
  return exit;
}

/** Servers answer "Method not found" without the method. */
function messageOf(error: unknown): string {
  if (error instanceof TenonError) return shownMessage(error);
  const message = error instanceof Error ? error.message : String(error);
  const method =
    error instanceof RpcError && error.code === standardCodes['method-not-found'] ? error.method : undefined;
  return method === undefined || message.includes(method) ? message : `${method}: ${message}`;
}

const beforeDashes = (args: readonly string[]): readonly string[] => {
  const dashes = args.indexOf('--');
  return dashes === -1 ? args : args.slice(0, dashes);
};
