/** A server as a child process: started without a shell, connected by its standard streams, stopped by closed input, then SIGTERM, then SIGKILL. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { ReportTap } from '../../transport/tap.ts';
import type { Transport } from '../../transport/transport.ts';
import { createPipeTransport, type PipeTransport } from '../pipe/pipe-transport.ts';
import { openErrorOutput } from '../process/error-output.ts';
import { environmentOf, findProgram, isWindows } from './command.ts';
import { commandLine } from './command-line.ts';
import { commandTarget } from './command-target.table.ts';
import { type CommandTarget, processWatch, type WatchedCommand } from './command-target.ts';
import { createLastLines, type LastLines } from './last-lines.ts';
import type { PrintedLines } from './printed-lines.ts';
import { guardTree, isShuttingDown, releaseTree, signalTree } from './process-tree.ts';
import { startFailed } from './start-failures.ts';

export interface ProcessOptions {
  readonly maxMessageChars: number;
  readonly strict?: boolean;
  /** Output of the server besides the protocol, for errors. */
  readonly printed: PrintedLines;
  readonly warn: (error: TenonError) => void;
  /** Set if a tap watches the connection. */
  readonly report?: ReportTap | undefined;
}

export interface ServerProcess {
  readonly pid: number;
  /** Its `finished` resolves when the process has exited and its streams are closed. */
  readonly transport: Transport;
  /** The last lines of its standard error. */
  lastLines(): readonly string[];
  /** The connection is open: from now on an exit is no failure to start. */
  connected(): void;
  /** Stops a server that could not be connected to, with short timeouts. */
  stopQuickly(reason: Error): Promise<unknown>;
}

/** How long its child processes may hold its streams after it has exited or was killed. */
const settleMs = 1000;
/** How long a server that could not be connected to may take to exit, at each step. */
const quickStopMs = 250;

/** It is stopped once: after its exit, its pid may belong to another process. */
type ProcessState =
  | { at: 'running' }
  /** `why` is set if the server itself is the reason. */
  | { at: 'stopping'; why: string | undefined; signalled: boolean }
  | { at: 'exited' };

export async function startProcess(command: CommandTarget, options: ProcessOptions): Promise<ServerProcess> {
  const child = reported(await spawnCommand(command), options.report);
  const { [processWatch]: watch } = command as WatchedCommand;
  watch?.started();
  child.once('close', () => watch?.ended());
  const pid = child.pid as number;
  guardTree(pid);
  const lines = readErrorOutput(child, command, options);
  let state: ProcessState = { at: 'running' };
  let hasConnected = false;
  const timers = createStopTimers(pid, {
    signalled() {
      if (state.at === 'stopping') state = { ...state, signalled: true };
    },
    abandon,
  });

  const pipe = createPipeTransport({
    input: child.stdout,
    output: child.stdin,
    ...framing(options),
    // Later ones mostly separate messages, and would take the place of what it prints.
    onBlankLine: (text) => void (hasConnected || options.printed.add(text)),
    // A server that closes one of its streams is stopped; its exit shows the reason.
    onInputEnd: () => stop('closed its standard output but kept running'),
    onOutputEnd: () => stop('closed its standard input but kept running'),
    // Unwritten data would hold its input open forever.
    releaseOutput: () => (child.stdin.writableLength === 0 ? child.stdin.end() : child.stdin.destroy()),
  });
  // Whatever closed the connection, the process does not outlive it.
  void pipe.finished.then(() => stop());

  function stop(why?: string, leaveMs = command.exitTimeoutMs ?? commandTarget.exitTimeoutMs.default): void {
    if (state.at !== 'running') return;
    state = { at: 'stopping', why, signalled: false };
    timers.start(leaveMs);
  }

  function exit(): TenonError {
    const why = state.at === 'stopping' && state.signalled ? state.why : undefined;
    return exited(command, child, { why, stderr: lines.read(), stdout: options.printed.read(), hasConnected });
  }

  /** A child process of it may hold its streams: they are destroyed, so that nothing waits for them. */
  function abandon(): void {
    pipe.close(exit());
    for (const stream of child.stdio) stream?.destroy();
  }

  const closed = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // A wrapper exits at the first signal; the server behind it gets the rest of the time.
      if (isShuttingDown() || (state.at === 'stopping' && state.signalled)) return;
      // Its remaining child processes are killed, and release the pipes.
      signalTree(pid, 'SIGKILL');
      timers.settle();
    });
    child.once('close', () => {
      signalTree(pid, 'SIGKILL');
      timers.clear();
      releaseTree(pid);
      pipe.close(exit());
      state = { at: 'exited' };
      resolve();
    });
  });

  const transport = transportOver(pipe, closed, stop);
  function stopQuickly(reason: Error): Promise<unknown> {
    pipe.close(reason);
    if (state.at === 'exited') return closed;
    // It may be stopping already, with longer timeouts.
    const why = state.at === 'stopping' ? state.why : undefined;
    timers.clear();
    state = { at: 'running' };
    stop(why, Math.min(command.exitTimeoutMs ?? quickStopMs, quickStopMs));
    return closed;
  }
  return { pid, transport, lastLines: lines.read, connected: () => void (hasConnected = true), stopQuickly };
}

const framing = ({ maxMessageChars, strict = false }: ProcessOptions) => ({ maxMessageChars, strict });

/** The pipe; closing it stops the process too. */
const transportOver = (pipe: PipeTransport, closed: Promise<void>, stop: () => void): Transport => ({
  finished: closed,
  get state() {
    return pipe.state;
  },
  open: pipe.open,
  send: pipe.send,
  close(reason) {
    pipe.close(reason);
    stop();
  },
});

interface StopTimers {
  /** Its input is closed or about to be; after `exitTimeoutMs` SIGTERM, after that again SIGKILL, then its streams are destroyed. */
  start(leaveMs: number): void;
  /** It has exited: its remaining child processes have a moment to release its streams. */
  settle(): void;
  clear(): void;
}

function createStopTimers(pid: number, ports: { signalled(): void; abandon(): void }): StopTimers {
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, run: () => void): void => void timers.add(setTimeout(run, ms));
  const settle = (): void => after(settleMs, ports.abandon);
  const kill = (): void => {
    signalTree(pid, 'SIGKILL');
    settle();
  };
  return {
    start(leaveMs) {
      after(leaveMs, () => {
        signalTree(pid, 'SIGTERM');
        ports.signalled();
        after(leaveMs, kill);
      });
    },
    settle,
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Starts it as the leader of its own process group, so that everything it starts can be ended with it. */
async function spawnCommand(command: CommandTarget): Promise<ChildProcessWithoutNullStreams> {
  const env = environmentOf(command);
  const args = [...(command.args ?? [])];
  const onWindows = isWindows();
  const options = { cwd: command.cwd, env, stdio: 'pipe', detached: !onWindows, windowsHide: true } as const;
  const start = onWindows ? (await import('cross-spawn')).default : (await import('node:child_process')).spawn;
  const found = findProgram(command, env);
  // On Windows cross-spawn finds it again, since it knows shims.
  const program = onWindows ? command.command : found;
  try {
    const child = start(program, args, onWindows ? options : { ...options, argv0: command.command });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return child as ChildProcessWithoutNullStreams;
  } catch (cause) {
    throw startFailed(command, cause as NodeJS.ErrnoException);
  }
}

function reported(child: ChildProcessWithoutNullStreams, report?: ReportTap): ChildProcessWithoutNullStreams {
  report?.({ kind: 'process', phase: 'started', text: String(child.pid) });
  if (report !== undefined)
    child.once('close', (code, signal) => report({ kind: 'process', phase: 'exit', text: signal ?? String(code) }));
  return child;
}

function readErrorOutput(
  { stderr }: ChildProcessWithoutNullStreams,
  { stderr: where = 'inherit' }: CommandTarget,
  { warn, report }: ProcessOptions,
): LastLines {
  const lines = createLastLines(typeof where === 'function' || report !== undefined ? onLine : undefined);
  const own = where === 'inherit' ? openErrorOutput() : undefined;
  function onLine(line: string): void {
    report?.({ kind: 'process', phase: 'stderr', text: line });
    runSafely(
      () => typeof where === 'function' && where(line),
      (cause) => warn(new TenonError('callback-failed', 'The callback for standard error threw.', { cause })),
    );
  }
  stderr.on('data', (chunk: Buffer) => {
    lines.push(chunk);
    own?.pass(chunk, stderr);
  });
  stderr.on('end', lines.end);
  stderr.on('close', () => own?.close());
  stderr.on('error', () => {});
  return lines;
}

const exitHint =
  'Run the command in a terminal to see what it needs. If it works there, a variable may be missing: a server gets only PATH, HOME and similar variables of your environment, and those in "env".';

interface ExitDetails {
  readonly why: string | undefined;
  readonly stderr: readonly string[];
  readonly stdout: readonly string[];
  readonly hasConnected: boolean;
}

function exited(
  command: CommandTarget,
  { exitCode: code, signalCode: signal }: ChildProcess,
  { why, stderr, stdout, hasConnected }: ExitDetails,
): TenonError {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  const text = why === undefined ? how : `${why}, and ${how}`;
  return new TenonError('server-exited', `${commandLine(command)} ${text}. ${outputText(stdout, stderr)}`, {
    ...(!hasConnected && { hint: exitHint }),
    details: { code, signal, stderr, stdout },
  });
}

/** What a process wrote to its standard output and to its standard error, as the last part of an error message. */
export function outputText(printed: readonly string[], errors: readonly string[]): string {
  const output = printed.length === 0 ? '' : `It wrote to its standard output:${block(printed)}\n  `;
  return errors.length === 0
    ? `${output}It wrote nothing to its standard error.`
    : `${output}The last lines of its standard error:${block(errors)}`;
}

const block = (lines: readonly string[]): string => lines.map((line) => `\n    ${line}`).join('');
