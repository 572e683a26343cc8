/** The thread of one script, as its host sees it. What it sends is not trusted: every message is checked. */
import { Worker } from 'node:worker_threads';
import { isRecord } from '../lib/values/is.ts';
import type { EndCode, FromThread, ThreadData, ToThread } from './messages.ts';
import { threadProgram } from './thread-program.ts';

export interface ThreadEvents {
  onMessage(message: FromThread): void;
  /** The thread has ended, and not because `end` was called. */
  onLost(code: EndCode, text: string): void;
}

export interface ScriptThread {
  send(message: ToThread): void;
  /** Whether the process stays open for it. */
  hold(isHeld: boolean): void;
  /** Ends the thread at once, whatever it does. */
  end(): void;
}

/** Megabytes of the thread outside WebAssembly, for text that crosses. */
const maxHeapMegabytes = 128;

/** The thread gets no variables of the environment, no arguments and no streams of the process. */
export function startThread(data: ThreadData, { onMessage, onLost }: ThreadEvents): ScriptThread {
  const worker = new Worker(threadProgram, {
    eval: true,
    name: 'tenon-script',
    workerData: data,
    env: {},
    argv: [],
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  let isOver = false;
  const lost = (code: EndCode, text: string): void => {
    if (isOver) return;
    isOver = true;
    onLost(code, text);
  };
  worker.on('message', (value: unknown) => {
    if (isOver) return;
    const message = readMessage(value);
    if (message === undefined) lost('script-failed', 'Its thread sent what is no message.');
    else onMessage(message);
  });
  worker.on('messageerror', () => lost('script-failed', 'Its thread sent what is no message.'));
  worker.on('error', (error: Error & { readonly code?: unknown }) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') lost('script-out-of-memory', 'Its thread has no memory left.');
    else lost('script-failed', `Its thread failed: ${error.message}`);
  });
  worker.on('exit', () => lost('script-failed', 'Its thread ended.'));
  return {
    send: (message) => worker.postMessage(message, []),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    end() {
      isOver = true;
      // It resolves when the thread is gone, for which nothing waits.
      worker.terminate().catch(() => {});
    },
  };
}

const codes: ReadonlySet<unknown> = new Set<EndCode>([
  'script-timeout',
  'script-out-of-memory',
  'script-limit-exceeded',
  'script-failed',
]);

/** The members of each message with their types. */
const members: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ready: {},
  call: { call: 'number', name: 'string', args: 'string' },
  log: { text: 'string' },
  idle: { received: 'number', isOutOfMemory: 'boolean' },
  returned: { json: 'string', chars: 'number' },
  thrown: { text: 'string' },
  ended: { code: 'string', text: 'string' },
};

function readMessage(value: unknown): FromThread | undefined {
  if (!isRecord(value) || typeof value.type !== 'string' || !Object.hasOwn(members, value.type)) return undefined;
  const wanted = Object.entries(members[value.type] as Readonly<Record<string, string>>);
  if (wanted.some(([name, type]) => typeof value[name] !== type)) return undefined;
  if (value.type === 'ended' && !codes.has(value.code)) return undefined;
  return value as unknown as FromThread;
}
