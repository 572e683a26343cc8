/** Connects to a server that is started for it, and says of one that cannot be connected to what its process let be seen. */
import type { OpenLine } from '../client/assembly.ts';
import type { Line, LineOptions } from '../client/line.ts';
import { handshakeOnly } from '../client/negotiate.ts';
import type { ConnectOptions } from '../client/options.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { chosenRevisions } from '../protocol/revisions/chosen.ts';
import { pathModule } from './builtins.ts';
import type { Command } from './command.ts';
import { commandLine } from './command-line.ts';
import { createFaultLog } from './fault-log.ts';
import { defaultMaxCharacters } from './pipe-channel.ts';
import { sayLines, startProcess } from './server-process.ts';

/** The first of what a server prints beside the protocol are kept for errors. */
const maxPrinted = 5;

export async function dialCommand(command: Command, options: ConnectOptions, open: OpenLine): Promise<Line> {
  try {
    return await attempt(command, options, open, {});
  } catch (error) {
    if (!diesOfProbe(error, options)) throw error;
    return attempt(command, options, open, { handshake: true });
  }
}

/** Some servers die of a request they do not know; without it they may live. */
function diesOfProbe(error: unknown, { revisions }: ConnectOptions): boolean {
  if (!(error instanceof TenonError) || error.code !== 'server-exited') return false;
  const accepted = chosenRevisions(revisions);
  const rest = handshakeOnly(accepted);
  return rest.length > 0 && rest.length < accepted.length;
}

/** What tells one server from another: the program, its arguments, where it runs, and where programs are looked for. */
export const nameOfCommand = ({ command, args = [], cwd = '', env }: Command): string =>
  JSON.stringify([command, args, pathModule().resolve(String(cwd)), env?.PATH ?? process.env.PATH]);

async function attempt(
  command: Command,
  options: ConnectOptions,
  open: OpenLine,
  own: Pick<LineOptions, 'handshake'>,
): Promise<Line> {
  const { limits = {} } = options;
  const maxCharacters = limits.maxCharacters ?? defaultMaxCharacters;
  const printed: string[] = [];
  const hear = options.fault ?? createFaultLog();
  const fault = (error: Error): void => {
    const isPrinted = error instanceof TenonError && error.code !== 'listener-failed';
    if (isPrinted && printed.length < maxPrinted) printed.push(error.message);
    try {
      hear(error);
    } catch {}
  };
  const server = await startProcess(command, { maxCharacters, printed, fault });
  try {
    return await open(server.channel, { ...own, fault, limits: { ...limits, maxCharacters } });
  } catch (error) {
    await server.dismiss(error as Error);
    throw explained(error, command, own, { stdout: printed, stderr: server.lastLines() });
  }
}

interface Heard {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** What went wrong, with what its process has let be seen. */
function explained(
  error: unknown,
  command: Command,
  { handshake }: Pick<LineOptions, 'handshake'>,
  { stdout, stderr }: Heard,
): unknown {
  if (!(error instanceof TenonError)) return error;
  const { cause } = error;
  if (error.code === 'connection-closed' && cause instanceof TenonError) return cause;
  if (error.code !== 'timeout') return error;
  const sent = handshake ? '' : 'It was sent server/discover, then initialize. ';
  const heard = stdout.length === 0 ? 'It wrote nothing to its standard output.' : `It wrote: ${stdout.join(' ')}`;
  return new TenonError(
    'timeout',
    `${commandLine(command)} did not answer: ${error.message} ${sent}${heard} ${sayLines(stderr)}`,
    {
      hint: 'Check that it is a server for standard input and output, and that it prints nothing but messages there.',
      details: { ...error.details, stderr, stdout },
      cause: error,
    },
  );
}
