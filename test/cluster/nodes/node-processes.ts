/** Nodes of a cluster as processes of their own, which share a store. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import type { StoreAddress } from '../../kit/stores/open-at.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

export interface NodeProcess {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  /** Stops it until SIGCONT. */
  stop(): void;
  /** The warnings so far. */
  readonly warnings: { readonly warning: string; readonly details: Record<string, unknown> }[];
  readonly exited: Promise<unknown>;
}

/**
 * How long a node may be silent. On a busy machine one may be taken for dead that is not: it only has to close its calls.
 * A node whose own reports are late by a sixth of it declares no other dead.
 */
const deadNodeMs = 4000;

let bundled: Promise<string> | undefined;

/** On a port of its own, or on one that an earlier node had. */
export async function startNode(store: StoreAddress, port = 0): Promise<NodeProcess> {
  bundled ??= bundledProgram('node-process', 'nodes');
  const program = await bundled;
  const child: ChildProcess = spawn(
    process.execPath,
    [program, JSON.stringify(store), String(deadNodeMs), String(port)],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const warnings: NodeProcess['warnings'] = [];
  const { stdout } = child;
  if (stdout === null) throw new Error('The node has no output.');
  const url = new Promise<string>((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { url: string } | NodeProcess['warnings'][number];
      if ('url' in said) resolve(said.url);
      else warnings.push(said);
    });
  });
  return {
    url: await withTimeout(url, 'the node to listen'),
    signal: (name) => void child.kill(name),
    stop: () => void child.kill('SIGUSR2'),
    warnings,
    exited,
  };
}
