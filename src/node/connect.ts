/** Connects to a server that is started for it, as well as to whatever can be reached without Node. */
import type { Client } from '../client/client.ts';
import { type Acceptor, connect as connectTo } from '../client/connect.ts';
import { handshakeOnly } from '../client/negotiate.ts';
import type { ConnectOptions } from '../client/options.ts';
import { checkConnectOptions } from '../client/options-check.ts';
import { TenonError } from '../jsonrpc/errors.ts';
import { chosenRevisions } from '../protocol/revisions/chosen.ts';
import type { RevisionId } from '../protocol/revisions/revisions.ts';
import type { Channel } from '../transport/channel.ts';
import { type Command, commandLine } from './command.ts';
import { createFaultLog } from './fault-log.ts';
import { defaultMaxBytes } from './pipe-channel.ts';
import { type ServerProcess, sayLines, startProcess } from './server-process.ts';

/** Connects to a command, to a server in this process, or over a channel. */
export async function connect<S = unknown>(
  target: Command | (S & Acceptor) | Channel,
  options: ConnectOptions = {},
): Promise<Client<S>> {
  if (!isCommand(target)) return connectTo<S>(target, options);
  checkConnectOptions(options);
  try {
    return await attempt<S>(target, options);
  } catch (error) {
    const revisions = exitedEarly(error) ? withoutProbe(options) : undefined;
    if (revisions === undefined) throw error;
    // Some servers die of a request they do not know; without it they may live.
    return attempt<S>(target, { ...options, revisions });
  }
}

const isCommand = (target: unknown): target is Command =>
  typeof target === 'object' && target !== null && 'command' in target && !('accept' in target) && !('send' in target);

const exitedEarly = (error: unknown): boolean => error instanceof TenonError && error.code === 'server-exited';

/** The revisions that need no probe, where there are others that do. */
function withoutProbe({ revisions }: ConnectOptions): RevisionId[] | undefined {
  const accepted = chosenRevisions(revisions);
  const rest = handshakeOnly(accepted);
  return rest.length === 0 || rest.length === accepted.length ? undefined : rest.map(({ id }) => id as RevisionId);
}

async function attempt<S>(command: Command, options: ConnectOptions): Promise<Client<S>> {
  const { limits = {} } = options;
  const maxCharacters = limits.maxCharacters ?? defaultMaxBytes;
  const server = await startProcess(command, maxCharacters);
  const noise: string[] = [];
  const hear = options.fault ?? createFaultLog();
  const fault = (error: Error): void => {
    if (error instanceof TenonError && noise.length < 5) noise.push(error.message);
    hear(error);
  };
  try {
    return await connectTo<S>(server.channel as S & Channel, {
      ...options,
      fault,
      limits: { ...limits, maxCharacters },
    });
  } catch (error) {
    server.channel.close(error as Error);
    await server.channel.finished;
    throw explained(error, command, server, noise);
  }
}

/** What went wrong, with what its process has let be seen. */
function explained(error: unknown, command: Command, server: ServerProcess, noise: readonly string[]): unknown {
  if (!(error instanceof TenonError)) return error;
  const { cause } = error;
  if (error.code === 'connection-closed' && cause instanceof TenonError) return cause;
  if (error.code !== 'timeout') return error;
  const heard = noise.length === 0 ? 'It wrote nothing to its standard output.' : `It wrote: ${noise.join(' ')}`;
  return new TenonError(
    'timeout',
    `${commandLine(command)} did not answer: ${error.message} ${heard} ${sayLines(server.lastLines())}`,
    {
      hint: 'Check that it is a server for standard input and output, and that it prints nothing but messages there.',
      details: { ...error.details, stderr: server.lastLines(), stdout: noise },
      cause: error,
    },
  );
}
