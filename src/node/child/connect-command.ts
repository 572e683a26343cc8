/** Connects to a server that is started for it, and says of one that cannot be connected to what its process let be seen. */

import type { ConnectOptions } from '../../client/api/options.ts';
import type { Line, LineOptions } from '../../client/connection/connection.ts';
import { handshakeOnly } from '../../client/connection/negotiate.ts';
import type { OpenLine, Reach } from '../../client/connection/reach.ts';
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Message } from '../../jsonrpc/message.ts';
import { runSafely } from '../../jsonrpc/run-safely.ts';
import { digestOf } from '../../protocol/canonical-json.ts';
import { chosenRevisions } from '../../protocol/revisions/chosen.ts';
import type { Channel } from '../../transport/channel.ts';
import { defaultMaxCharacters } from '../pipe/pipe-channel.ts';
import { pathModule } from '../process/builtins.ts';
import { type Command, environmentOf } from './command.ts';
import { commandLine } from './command-line.ts';
import { errorOutputText, startProcess } from './server-process.ts';

/** The first of what a server prints beside the protocol are kept for errors. */
const maxPrinted = 5;
/** So are the methods of the first messages. */
const maxRecorded = 3;

/** What an attempt has let be seen so far. */
interface AttemptLog {
  /** The methods of what the server was sent. */
  readonly sent: string[];
  readonly stdout: string[];
  stderr(): readonly string[];
}

export function commandReach(command: Command, options: ConnectOptions): Reach {
  let seen: AttemptLog | undefined;
  const see = (begun: AttemptLog): void => {
    seen = begun;
  };
  return {
    reconnects: true,
    startsServer: true,
    async dial(open) {
      try {
        return await attempt(command, options, open, {}, see);
      } catch (error) {
        if (!diesOfProbe(error, options)) throw error;
        return attempt(command, options, open, { handshake: true }, see);
      }
    },
    awaited: () => ({
      text: `${commandLine(command)} ${seen === undefined ? 'has not started yet.' : `has not answered yet. ${attemptText(seen)}`}`,
      hint: silenceHint,
    }),
  };
}

/** Some servers die of a request they do not know; without it they may live. */
function diesOfProbe(error: unknown, { revisions }: ConnectOptions): boolean {
  if (!(error instanceof TenonError) || error.code !== 'server-exited') return false;
  const accepted = chosenRevisions(revisions);
  const rest = handshakeOnly(accepted);
  return rest.length > 0 && rest.length < accepted.length;
}

/** What tells one server from another: the program, its arguments, where it runs, its variables. As a digest, since they hold secrets. */
export const nameOfCommand = (command: Command): string =>
  digestOf([command.command, command.args ?? [], pathModule().resolve(command.cwd ?? ''), environmentOf(command)]);

async function attempt(
  command: Command,
  options: ConnectOptions,
  open: OpenLine,
  own: Pick<LineOptions, 'handshake'>,
  see: (seen: AttemptLog) => void,
): Promise<Line> {
  const { limits = {} } = options;
  const maxCharacters = limits.maxCharacters ?? defaultMaxCharacters;
  const printed: string[] = [];
  const fault = (error: Error): void => {
    const isPrinted = error instanceof TenonError && error.code !== 'listener-failed';
    if (isPrinted && printed.length < maxPrinted) printed.push(error.message);
    runSafely(() => options.fault?.(error));
  };
  const server = await startProcess(command, { maxCharacters, printed, fault });
  const seen: AttemptLog = { sent: [], stdout: printed, stderr: server.lastLines };
  see(seen);
  try {
    const named = {
      // Worked out only where a failure is told.
      get name() {
        return commandLine(command);
      },
    };
    const known = { ...own, server: named, fault, limits: { ...limits, maxCharacters } };
    return await open(recordSent(server.channel, seen.sent), known);
  } catch (error) {
    await server.stopQuickly(error as Error);
    throw explained(error, command, seen);
  }
}

/** The channel, with what opens the connection noted: all that is of use when no answer comes. */
const recordSent = (channel: Channel, sent: string[]): Channel =>
  Object.create(channel, {
    send: {
      value(frame: string, message?: Message) {
        if (sent.length < maxRecorded && message !== undefined && 'method' in message) sent.push(message.method);
        channel.send(frame, message);
      },
    },
  });

const silenceHint =
  'Check that it is a server for standard input and output, and that it prints nothing but messages there.';

function attemptText({ sent, stdout, stderr }: AttemptLog): string {
  const said = sent.length === 0 ? 'It was sent nothing yet.' : `It was sent ${sent.join(', then ')}.`;
  const heard = stdout.length === 0 ? 'It wrote nothing to its standard output.' : `It wrote: ${stdout.join(' ')}`;
  return `${said} ${heard} ${errorOutputText(stderr())}`;
}

/** What went wrong, with what its process has let be seen. */
function explained(error: unknown, command: Command, seen: AttemptLog): unknown {
  if (!(error instanceof TenonError)) return error;
  const { cause } = error;
  if (error.code === 'connection-closed' && cause instanceof TenonError) return cause;
  if (error.code !== 'timeout') return error;
  return new TenonError('timeout', `${commandLine(command)} did not answer: ${error.message} ${attemptText(seen)}`, {
    hint: silenceHint,
    details: { ...error.details, stderr: seen.stderr(), stdout: seen.stdout },
    cause: error,
  });
}
