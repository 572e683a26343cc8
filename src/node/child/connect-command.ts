/** Connects to a server that it starts as a child process; errors include the output of the process. */

import type { ConnectOptions } from '../../client/api/options.ts';
import { type Connection, type ConnectionOptions, messageLimitsOf } from '../../client/connection/connection.ts';
import type { Connector, OpenConnection } from '../../client/connection/connector.ts';
import { handshakeOnly } from '../../client/connection/negotiation/negotiate.ts';
import { toWarning } from '../../jsonrpc/errors.ts';
import type { Message } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { digestOf } from '../../lib/text/canonical-json.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import { chosenRevisions } from '../../protocol/revisions/accepted.ts';
import type { ReportTap } from '../../transport/tap.ts';
import type { Transport } from '../../transport/transport.ts';
import { defaultMaxCharacters } from '../pipe/pipe-transport.ts';
import { pathModule } from '../process/builtins.ts';
import { environmentOf } from './command.ts';
import { commandLine } from './command-line.ts';
import type { CommandTarget } from './command-target.ts';
import { PrintedLines } from './printed-lines.ts';
import { outputText, startProcess } from './server-process.ts';

/** Methods of the first messages, stored for errors. */
const maxRecorded = 3;

/** The messages and output of an attempt to connect. */
interface AttemptLog {
  /** The methods of the messages that were sent to the server. */
  readonly sent: string[];
  stdout(): readonly string[];
  stderr(): readonly string[];
}

export function commandConnector(command: CommandTarget, options: ConnectOptions): Connector {
  let last: AttemptLog | undefined;
  const onStart = (log: AttemptLog): void => {
    last = log;
  };
  return {
    reconnects: true,
    startsServer: true,
    async connect(open, _signal, _deadlines, report) {
      report?.({ kind: 'open', side: 'client', transport: 'stdio', peer: commandLine(command) });
      try {
        return await attempt(command, options, open, { report }, onStart);
      } catch (error) {
        if (!exitedAtProbe(error, options)) throw error;
        return attempt(command, options, open, { handshake: true, report }, onStart);
      }
    },
    pendingReason: () => ({
      text: `${commandLine(command)} ${last === undefined ? 'has not started yet.' : `has not answered yet. ${attemptText(last)}`}`,
      hint: silenceHint,
    }),
  };
}

/** Some servers exit at a request they do not know: then the handshake is tried without it. */
function exitedAtProbe(error: unknown, { protocolVersions: revisions }: ConnectOptions): boolean {
  if (!(error instanceof TenonError) || error.code !== 'server-exited') return false;
  const accepted = chosenRevisions(revisions);
  const rest = handshakeOnly(accepted);
  return rest.length > 0 && rest.length < accepted.length;
}

/** Identifies a server by program, arguments, folder and environment. A digest, since they may hold secrets. */
export const nameOfCommand = (command: CommandTarget): string =>
  digestOf([command.command, command.args ?? [], pathModule().resolve(command.cwd ?? ''), environmentOf(command)]);

async function attempt(
  command: CommandTarget,
  options: ConnectOptions,
  open: OpenConnection,
  { report, ...own }: Pick<ConnectionOptions, 'handshake'> & { readonly report: ReportTap | undefined },
  onStart: (log: AttemptLog) => void,
): Promise<Connection> {
  const { limits = {} } = options;
  const messageLimits = messageLimitsOf(limits, defaultMaxCharacters);
  const { maxMessageChars } = messageLimits;
  const printed = new PrintedLines();
  const warn = (error: Error): void => {
    const isPrinted = error instanceof TenonError && error.code !== 'callback-failed';
    if (isPrinted) {
      printed.add(printedLine(error));
      report?.({ kind: 'process', phase: 'stdout', text: printedLine(error) });
    }
    runSafely(() => options.onWarning?.(toWarning(error)));
  };
  const server = await startProcess(command, {
    maxMessageChars,
    strict: options.strict === true,
    printed,
    warn,
    report,
  });
  const log: AttemptLog = { sent: [], stdout: () => printed.read(), stderr: server.lastLines };
  onStart(log);
  try {
    const named = {
      // Computed only for an error.
      get name() {
        return commandLine(command);
      },
    };
    const known = { ...own, server: named, warn, limits: messageLimits };
    const connection = await open(recordSent(server.transport, log.sent), known);
    server.connected();
    return connection;
  } catch (error) {
    await server.stopQuickly(error as Error);
    throw explained(error, command, log);
  }
}

/** The line as the server printed it, long ones shortened; the message if there is no line. */
const printedLine = ({ details, message }: TenonError): string =>
  typeof details.line === 'string' ? details.line : message;

/** The transport, which also records the methods of the first messages, for errors. */
const recordSent = (transport: Transport, sent: string[]): Transport =>
  Object.create(transport, {
    send: {
      value(frame: string, message?: Message) {
        if (sent.length < maxRecorded && message !== undefined && 'method' in message) sent.push(message.method);
        transport.send(frame, message);
      },
    },
  });

const silenceHint =
  'Check that it is an MCP server for standard input and output, and that it prints nothing but messages to standard output.';

function attemptText({ sent, ...log }: AttemptLog): string {
  const stdout = log.stdout();
  const requests = sent.length === 0 ? 'No request was sent yet.' : `It was sent ${sent.join(', then ')}.`;
  const silence = stdout.length === 0 ? 'It wrote nothing to its standard output. ' : '';
  return `${requests} ${silence}${outputText(stdout, log.stderr())}`;
}

/** Adds the output of the process to an error. */
function explained(error: unknown, command: CommandTarget, log: AttemptLog): unknown {
  if (!(error instanceof TenonError)) return error;
  const { cause } = error;
  if (error.code === 'connection-closed' && cause instanceof TenonError) return cause;
  if (error.code !== 'timeout') return error;
  return new TenonError('timeout', `${commandLine(command)} did not answer: ${error.message} ${attemptText(log)}`, {
    hint: silenceHint,
    details: { ...error.details, stderr: log.stderr(), stdout: log.stdout() },
    cause: error,
  });
}
