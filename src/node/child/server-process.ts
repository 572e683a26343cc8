/** A server as a child process: started without a shell, spoken to by lines, ended by steps that get firmer. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { TenonError } from '../../jsonrpc/errors.ts';
import { runSafely } from '../../jsonrpc/run-safely.ts';
import type { Channel } from '../../transport/channel.ts';
import { createPipeChannel, type PipeChannel } from '../pipe/pipe-channel.ts';
import { openErrorOutput } from '../process/error-output.ts';
import { type Command, environmentOf, findProgram, isWindows } from './command.ts';
import { commandLine } from './command-line.ts';
import { createLastLines, type LastLines } from './last-lines.ts';
import { guardTree, isShuttingDown, releaseTree, signalTree } from './process-tree.ts';
import { startFailed } from './start-failures.ts';

export interface ProcessOptions {
  readonly maxCharacters: number;
  /** What the server has printed beside the protocol so far, for whoever has to tell why it ended. */
  readonly printed: readonly string[];
  readonly fault: (error: TenonError) => void;
}

export interface ServerProcess {
  readonly pid: number;
  /** Its `finished` settles when the process has gone and nothing of it is left. */
  readonly channel: Channel;
  /** The last lines of its standard error. */
  lastLines(): readonly string[];
  /** Ends it without much patience: nobody has got to know it yet. */
  stopQuickly(reason: Error): Promise<unknown>;
}

/** How long what a process leaves behind may hold its streams once it has gone or was killed. */
const settleMs = 1000;
/** How long a server that could not be connected to may take to leave, at each step. */
const dismissMs = 250;

/** It is asked to leave once; when it has gone, its number may be that of another process. */
type ProcessState =
  | { at: 'running' }
  /** Why it has to leave, where that was its own doing. */
  | { at: 'leaving'; why: string | undefined; signalled: boolean }
  | { at: 'gone' };

export async function startProcess(command: Command, options: ProcessOptions): Promise<ServerProcess> {
  const child = await spawnCommand(command);
  const pid = child.pid as number;
  guardTree(pid);
  const lines = readErrorOutput(child, command, options.fault);
  let stay: ProcessState = { at: 'running' };
  const ladder = createStopTimers(pid, {
    signalled() {
      if (stay.at === 'leaving') stay = { ...stay, signalled: true };
    },
    abandon,
  });

  const pipe = createPipeChannel({
    input: child.stdout,
    output: child.stdin,
    maxCharacters: options.maxCharacters,
    // A server that says or hears no more has to leave; why it does so is known when it has.
    onInputEnd: () => leave('closed its standard output and stayed'),
    onOutputEnd: () => leave('closed its standard input and stayed'),
    // What could not leave in time would keep its input open for ever.
    releaseOutput: () => (child.stdin.writableLength === 0 ? child.stdin.end() : child.stdin.destroy()),
  });
  // Whatever ended the conversation, the process does not outlive it.
  void pipe.finished.then(() => leave());

  function leave(why?: string, leaveMs = command.leaveMs ?? 2000): void {
    if (stay.at !== 'running') return;
    stay = { at: 'leaving', why, signalled: false };
    ladder.climb(leaveMs);
  }

  function exit(): TenonError {
    const why = stay.at === 'leaving' && stay.signalled ? stay.why : undefined;
    return exited(command, child, { why, stderr: lines.read(), stdout: [...options.printed] });
  }

  /** Its streams can be held by a process that got away: they are given up, so that nothing waits for it. */
  function abandon(): void {
    pipe.close(exit());
    for (const stream of child.stdio) stream?.destroy();
  }

  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // A wrapper is gone at the first signal; the server behind it has the time that was meant for it.
      if (isShuttingDown() || (stay.at === 'leaving' && stay.signalled)) return;
      // Whatever it has started and left behind goes with it, and lets go of the pipes.
      signalTree(pid, 'SIGKILL');
      ladder.settle();
    });
    child.once('close', () => {
      signalTree(pid, 'SIGKILL');
      ladder.leave();
      releaseTree(pid);
      pipe.close(exit());
      stay = { at: 'gone' };
      resolve();
    });
  });

  const channel = channelOver(pipe, gone, leave);
  function dismiss(reason: Error): Promise<unknown> {
    pipe.close(reason);
    if (stay.at === 'gone') return gone;
    // It may be leaving already, by longer steps.
    const why = stay.at === 'leaving' ? stay.why : undefined;
    ladder.leave();
    stay = { at: 'running' };
    leave(why, Math.min(command.leaveMs ?? dismissMs, dismissMs));
    return gone;
  }
  return { pid, channel, lastLines: lines.read, stopQuickly: dismiss };
}

/** The pipe, whose close is the end of the process too. */
const channelOver = (pipe: PipeChannel, gone: Promise<void>, leave: () => void): Channel => ({
  finished: gone,
  get state() {
    return pipe.state;
  },
  open: pipe.open,
  send: pipe.send,
  close(reason) {
    pipe.close(reason);
    leave();
  },
});

interface StopTimers {
  /** Its input is closed already or about to be; then it is asked to leave, then it is ended, then it is given up. */
  climb(leaveMs: number): void;
  /** It has gone: what it left behind has a moment to let go of its streams. */
  settle(): void;
  leave(): void;
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
    climb(leaveMs) {
      after(leaveMs, () => {
        signalTree(pid, 'SIGTERM');
        ports.signalled();
        after(leaveMs, kill);
      });
    },
    settle,
    leave() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Starts it as the leader of a group of its own, so that all it starts can be ended with it. */
async function spawnCommand(command: Command): Promise<ChildProcessWithoutNullStreams> {
  const env = environmentOf(command);
  const args = [...(command.args ?? [])];
  const options = { cwd: command.cwd, env, stdio: 'pipe', detached: !isWindows, windowsHide: true } as const;
  const start = isWindows ? (await import('cross-spawn')).default : (await import('node:child_process')).spawn;
  const found = findProgram(command, env);
  // There it is looked for once more, by what knows of shims.
  const program = isWindows ? command.command : found;
  try {
    const child = start(program, args, isWindows ? options : { ...options, argv0: command.command });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return child as ChildProcessWithoutNullStreams;
  } catch (cause) {
    throw startFailed(command, cause as NodeJS.ErrnoException);
  }
}

function readErrorOutput(
  { stderr }: ChildProcessWithoutNullStreams,
  { stderr: where = 'inherit' }: Command,
  fault: (error: TenonError) => void,
): LastLines {
  const lines = createLastLines(typeof where === 'function' ? hear : undefined);
  const own = where === 'inherit' ? openErrorOutput() : undefined;
  function hear(line: string): void {
    runSafely(
      () => typeof where === 'function' && where(line),
      (cause) => fault(new TenonError('listener-failed', 'The function that hears standard error threw.', { cause })),
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
  'Run the command by hand to see what it needs. If it works there, a variable may be missing here: a server gets PATH, HOME and their like of your environment, and what "env" says.';

interface ExitDetails {
  readonly why: string | undefined;
  readonly stderr: readonly string[];
  readonly stdout: readonly string[];
}

function exited(
  command: Command,
  { exitCode: code, signalCode: signal }: ChildProcess,
  { why, stderr, stdout }: ExitDetails,
): TenonError {
  const how = signal === null ? `ended with code ${code}` : `ended by ${signal}`;
  const text = why === undefined ? how : `${why}, and ${how}`;
  return new TenonError(
    'server-exited',
    `${commandLine(command)} ${text}. ${printedText(stdout)}${errorOutputText(stderr)}`,
    {
      hint: exitHint,
      details: { code, signal, stderr, stdout },
    },
  );
}

const printedText = (printed: readonly string[]): string =>
  printed.length === 0 ? '' : `To its standard output it wrote: ${printed.join(' ')} `;

export const errorOutputText = (lines: readonly string[]): string =>
  lines.length === 0
    ? 'It wrote nothing to its error output.'
    : `The last it wrote to its error output:\n${lines.join('\n')}\n`;
