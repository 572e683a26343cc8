/** The nodes of a run as processes: started, killed, drained and started again on their ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { withTimeout } from '../../../kit/with-timeout.ts';
import type { Recorder } from '../../history/recorder.ts';

export interface NodeProcesses {
  /** The ports of the nodes that run, by name. */
  readonly ports: ReadonlyMap<string, number>;
  start(name: string): Promise<void>;
  /** Ends it at once, as a crash does. */
  kill(name: string): Promise<void>;
  /** Ends it by SIGTERM, which lets it finish what runs. */
  drain(name: string): Promise<void>;
  /** What the nodes wrote about trouble. */
  trouble(): string;
  close(): Promise<void>;
}

export function createNodes(program: string, env: Readonly<Record<string, string>>, recorder: Recorder): NodeProcesses {
  const children = new Map<string, ChildProcess>();
  const ports = new Map<string, number>();
  const oldPorts = new Map<string, number>();
  let trouble = '';

  async function start(name: string): Promise<void> {
    const child = spawn(process.execPath, ['--enable-source-maps', program], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...env, NODE: name, PORT: String(oldPorts.get(name) ?? 0) },
    });
    children.set(name, child);
    child.stderr?.on('data', (chunk: Buffer) => {
      trouble = (trouble + chunk.toString()).slice(-20_000);
    });
    const ready = new Promise<number>((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => resolve(Number(/ready (\d+)/.exec(chunk.toString())?.[1])));
      child.once('exit', (code) => reject(new Error(`${name} exited with ${code} before it listened:\n${trouble}`)));
    });
    const port = await withTimeout(ready, `${name} to listen`);
    ports.set(name, port);
    oldPorts.set(name, port);
    recorder.record({ type: 'node', node: name, what: 'started' });
  }

  async function end(name: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = children.get(name);
    ports.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await withTimeout(exited, `${name} to exit after ${signal}`);
  }

  return {
    ports,
    start,
    async kill(name) {
      recorder.record({ type: 'node', node: name, what: 'killed' });
      await end(name, 'SIGKILL');
    },
    async drain(name) {
      recorder.record({ type: 'node', node: name, what: 'draining' });
      await end(name, 'SIGTERM');
      recorder.record({ type: 'node', node: name, what: 'drained' });
    },
    trouble: () => trouble,
    async close() {
      await Promise.all([...children.keys()].map((name) => end(name, 'SIGKILL')));
    },
  };
}
