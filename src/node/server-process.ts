/** A server as a child process: started without a shell, spoken to by lines, ended by steps that get firmer. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { TenonError } from '../jsonrpc/errors.ts';
import type { Channel } from '../transport/channel.ts';
import { type Command, checkCommand, commandLine, environmentOf, findProgram, isWindows } from './command.ts';
import { createLastLines, type LastLines } from './last-lines.ts';
import { createPipeChannel } from './pipe-channel.ts';
import { guardTree, releaseTree, signalTree } from './process-tree.ts';

export interface ServerProcess {
  readonly pid: number;
  /** Its `finished` settles when the process has gone and nothing of it is left. */
  readonly channel: Channel;
  /** The last lines of its standard error. */
  lastLines(): readonly string[];
}

/** How long what a process leaves behind may hold its streams once it has gone or was killed. */
const settleMs = 1000;

/** It is asked to leave once; when it has gone, its number may be that of another process. */
type Stay = 'running' | 'leaving' | 'gone';

export async function startProcess(command: Command, maxBytes?: number): Promise<ServerProcess> {
  checkCommand(command);
  const child = await started(command);
  const pid = child.pid as number;
  guardTree(pid);
  const lines = listenToErrors(child, command);
  const timers = new Set<NodeJS.Timeout>();
  let stay: Stay = 'running';
  const after = (ms: number, run: () => void): void => void timers.add(setTimeout(run, ms));

  const pipe = createPipeChannel({
    input: child.stdout,
    output: child.stdin,
    ...(maxBytes !== undefined && { maxBytes }),
    // A server that says no more has to leave; why is known when it has.
    inputEnded: leave,
    // What could not leave in time would keep its input open for ever.
    release: () => (child.stdin.writableLength === 0 ? child.stdin.end() : child.stdin.destroy()),
  });
  // Whatever ended the conversation, the process does not outlive it.
  void pipe.finished.then(leave);

  /** The ladder: its input is closed already or about to be; then it is asked, then it is ended. */
  function leave(): void {
    if (stay !== 'running') return;
    stay = 'leaving';
    const { leaveMs = 2000 } = command;
    after(leaveMs, () => {
      signalTree(pid, 'SIGTERM');
      after(leaveMs, () => {
        signalTree(pid, 'SIGKILL');
        after(settleMs, abandon);
      });
    });
  }

  /** Its streams can be held by a process that got away: they are given up, so that nothing waits for it. */
  function abandon(): void {
    pipe.close(exited(command, child, lines.read()));
    for (const stream of child.stdio) stream?.destroy();
  }

  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      // Whatever it has started and left behind goes with it, and lets go of the pipes.
      signalTree(pid, 'SIGKILL');
      after(settleMs, abandon);
    });
    child.once('close', () => {
      stay = 'gone';
      for (const timer of timers) clearTimeout(timer);
      releaseTree(pid);
      pipe.close(exited(command, child, lines.read()));
      resolve();
    });
  });

  const channel: Channel = {
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
  };
  return { pid, channel, lastLines: lines.read };
}

/** Starts it as the leader of a group of its own, so that all it starts can be ended with it. */
async function started(command: Command): Promise<ChildProcessWithoutNullStreams> {
  const env = environmentOf(command);
  const args = [...(command.args ?? [])];
  const options = { cwd: command.cwd, env, stdio: 'pipe', detached: !isWindows, windowsHide: true } as const;
  const start = isWindows ? (await import('cross-spawn')).default : spawn;
  const program = isWindows ? command.command : findProgram(command, env);
  try {
    const child = start(program, args, isWindows ? options : { ...options, argv0: command.command });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return child as ChildProcessWithoutNullStreams;
  } catch (cause) {
    throw unstarted(command, cause as NodeJS.ErrnoException);
  }
}

function unstarted(command: Command, cause: NodeJS.ErrnoException): TenonError {
  const code = cause.code === 'ENOENT' ? 'command-not-found' : 'spawn-failed';
  const hint = 'Check that the file is a program for this machine, and that it may be run.';
  return new TenonError(code, `${commandLine(command)} could not be started: ${cause.message}.`, { hint, cause });
}

function listenToErrors({ stderr }: ChildProcessWithoutNullStreams, { stderr: where = 'inherit' }: Command): LastLines {
  const lines = createLastLines(typeof where === 'function' ? where : undefined);
  stderr.on('data', (chunk: Buffer) => {
    lines.push(chunk);
    if (where === 'inherit') process.stderr.write(chunk);
  });
  stderr.on('end', lines.end);
  stderr.on('error', () => {});
  return lines;
}

function exited(
  command: Command,
  { exitCode: code, signalCode: signal }: ChildProcess,
  lines: readonly string[],
): TenonError {
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return new TenonError('server-exited', `${commandLine(command)} ended ${how}. ${sayLines(lines)}`, {
    hint: 'Run the command by hand to see what it needs.',
    details: { code, signal, stderr: lines },
  });
}

export const sayLines = (lines: readonly string[]): string =>
  lines.length === 0
    ? 'It wrote nothing to its error output.'
    : `The last it wrote to its error output:\n${lines.join('\n')}\n`;
