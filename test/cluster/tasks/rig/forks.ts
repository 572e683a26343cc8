/** Processes that are started before a run needs them, and used again after it unless they were killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { withTimeout } from '../../../kit/with-timeout.ts';
import type { FromProcess, Part, Report, ToProcess } from './messages.ts';

export interface Fork {
  /** Resolves when it listens; its reports go to `onReport`, whose value confirms them. */
  begin(part: Part, onReport: (report: Report) => Promise<string>): Promise<number>;
  /** Resolves when the client has its result, or is gone. */
  followed(): Promise<boolean>;
  look(task: string): Promise<void>;
  /** Ends its part. */
  end(): Promise<void>;
  resume(): void;
  /** Resolves when the process is gone. */
  readonly exited: Promise<unknown>;
  readonly isAlive: boolean;
  kill(): void;
  /** What it wrote about trouble. */
  trouble(): string;
}

export interface Forks {
  take(): Fork;
  giveBack(fork: Fork): void;
  close(): Promise<void>;
}

/** Keeps `count` processes: one that was killed is replaced before it is needed. */
export function startForks(program: string, count: number): Forks {
  const all = new Set<Fork>();
  const idle: Fork[] = [];
  let isOpen = true;
  const add = (): Fork => {
    const started = startFork(program);
    all.add(started);
    void replaceAfter(started);
    return started;
  };
  async function replaceAfter(started: Fork): Promise<void> {
    await started.exited;
    all.delete(started);
    if (isOpen && all.size < count) idle.push(add());
  }
  while (all.size < count) idle.push(add());
  return {
    take: () => idle.shift() ?? add(),
    giveBack(fork) {
      if (fork.isAlive) idle.push(fork);
    },
    async close() {
      isOpen = false;
      const left = [...all];
      for (const one of left) one.kill();
      await Promise.all(left.map(({ exited }) => exited));
    },
  };
}

function startFork(program: string): Fork {
  const child: ChildProcess = fork(program, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  });
  let trouble = '';
  let onReport: (report: Report) => Promise<string> = () => Promise.resolve('');
  const waiting = new Map<FromProcess['is'], (message: FromProcess) => void>();
  const exited = once(child, 'exit');
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;

  const send = (message: ToProcess): void => {
    // One that was killed a moment ago.
    if (child.connected) child.send(message, () => {});
  };
  const asked = async (message: ToProcess, awaited: FromProcess['is']): Promise<FromProcess | undefined> => {
    const answer = new Promise<FromProcess>((resolve) => waiting.set(awaited, resolve));
    send(message);
    return withTimeout(
      Promise.race([answer, exited.then(() => undefined)]),
      `a process that has ${awaited}\n${trouble}`,
    );
  };

  child.stderr?.on('data', (chunk: Buffer) => {
    trouble = (trouble + chunk.toString()).slice(-10_000);
  });
  child.on('error', () => {});
  child.on('message', async (message: FromProcess) => {
    if (message.is !== 'report') return waiting.get(message.is)?.(message);
    const value = await onReport(message.report);
    send({ is: 'confirmed', number: message.number, value });
  });

  return {
    async begin(part, listener) {
      trouble = '';
      onReport = listener;
      const begun = await asked({ is: 'begin', part }, 'begun');
      return begun?.is === 'begun' ? begun.port : 0;
    },
    async followed() {
      const answer = new Promise<boolean>((resolve) => waiting.set('followed', () => resolve(true)));
      return Promise.race([answer, exited.then(() => false)]);
    },
    look: async (task) => void (await asked({ is: 'look', task }, 'looked')),
    end: async () => void (await asked({ is: 'end' }, 'ended')),
    resume: () => void child.kill('SIGCONT'),
    exited,
    get isAlive() {
      return isAlive();
    },
    kill: () => void child.kill('SIGKILL'),
    trouble: () => trouble,
  };
}
