/** Two nodes as processes. One that has killed itself is started again, with its next boundary. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withTimeout } from '../../kit/with-timeout.ts';
import type { Death, NodeSettings } from './fixtures/settings.ts';

/** Longer than a start takes on a busy machine. */
const startMs = 180_000;

export interface Nodes {
  /** The URL of a node, once it listens. */
  url(which: number): Promise<string>;
  /** How many processes have been killed. */
  readonly kills: number;
  /** The next processes live until the end. */
  calm(): void;
  /** What they wrote about trouble. */
  trouble(): string;
  close(): Promise<void>;
}

const noDeath: Death = { killAt: 0, killAtRefresh: 0 };

/** `nextDeath`: where the next process kills itself. */
export function startNodes(program: string, settings: Omit<NodeSettings, keyof Death>, nextDeath: () => Death): Nodes {
  let kills = 0;
  let isCalm = false;
  let isOpen = true;
  let trouble = '';
  const children = new Set<ChildProcess>();
  const urls: Promise<string>[] = [];

  function start(which: number): Promise<string> {
    const given: NodeSettings = { ...settings, ...(isCalm ? noDeath : nextDeath()) };
    const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    child.stderr?.on('data', (text) => {
      trouble += String(text);
    });
    const listens = new Promise<string>((resolve, reject) => {
      if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve);
      // Killed while it started: the next one may listen.
      child.once('exit', (_, signal) => reject(new Error(`A node ended while it started: ${signal}.`)));
    });
    child.once('exit', (_, signal) => {
      children.delete(child);
      if (!isOpen) return;
      // One that has ended by itself is broken, and stays so.
      if (signal !== 'SIGKILL') return;
      kills++;
      urls[which] = start(which);
    });
    const url = withTimeout(listens, 'a node to listen', startMs);
    url.catch(() => {});
    return url;
  }

  for (const which of [0, 1]) urls[which] = start(which);
  return {
    async url(which) {
      for (;;) {
        const current = urls[which];
        try {
          return (await current) ?? '';
        } catch (error) {
          if (current === urls[which]) throw error;
        }
      }
    },
    get kills() {
      return kills;
    },
    calm: () => {
      isCalm = true;
    },
    trouble: () => trouble,
    async close() {
      isOpen = false;
      const left = [...children];
      for (const child of left) child.kill('SIGKILL');
      await Promise.all(left.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, 'exit')));
    },
  };
}
