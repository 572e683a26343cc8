/** Starts programs of this machine, waits until they are ready, and ends them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface Program {
  readonly pid: number;
  /** The line that showed that it is ready. */
  readonly readyLine: string;
  /** Sends a signal and waits until it has exited. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

interface Starting {
  readonly args: readonly string[];
  /** What it prints once it is ready. */
  readonly ready: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** Rejects with its output if it exits before it is ready. */
export async function startProgram(command: string, { args, ready, env }: Starting): Promise<Program> {
  const isNode = command === process.execPath;
  const child = spawn(command, args, {
    // Ctrl+C reaches this process alone, which ends the others in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(isNode ? ['ipc' as const] : [])],
    env: { ...process.env, ...env },
  });
  const readyLine = await untilReady(child, command, ready);
  return {
    pid: child.pid ?? 0,
    readyLine,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

function untilReady(child: ChildProcess, command: string, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const receive = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-4000);
      const line = output.split('\n').find((each) => ready.test(each));
      if (line !== undefined) resolve(line);
    };
    child.stdout?.on('data', receive);
    child.stderr?.on('data', receive);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${command} exited with ${code} before it was ready:\n${output}`)));
  });
}

/** What is not installed, as a line that says how to get it. Packages of Debian have the names of the programs. */
export function missingPrograms(needed: readonly ('redis-server' | 'nginx')[]): string | undefined {
  const names = needed.filter((name) => spawnSync(name, ['-v']).error !== undefined);
  if (names.length === 0) return undefined;
  return `Missing: ${names.join(', ')}. Install: sudo apt-get install ${names.join(' ')} (Debian, Ubuntu), or brew install redis nginx (macOS).`;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
