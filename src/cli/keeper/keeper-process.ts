/** Starts a keeper as a process of its own, and runs one. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { receivedError, type SentError, sentError } from '../answers/keeper-messages.ts';
import type { KeeperOrder } from '../io/io.ts';

type Started = { readonly isReady: true } | { readonly error: SentError };

/** The order is not an argument: those of a process can be seen by other users. */
export function startKeeper(order: KeeperOrder): Promise<void> {
  const [, program = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, program, '--keeper'], {
    detached: true,
    // Streams of this process would stay open as long as the keeper runs.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  });
  return new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(notStarted(cause)));
    child.on('exit', () => reject(notStarted(undefined)));
    child.on('message', (started: Started) => {
      if ('error' in started) return reject(receivedError(started.error));
      child.disconnect();
      child.unref();
      resolve();
    });
    child.send(order, (cause) => cause && reject(notStarted(cause)));
  });
}

const notStarted = (cause: unknown): TenonError =>
  new TenonError('server-exited', 'The process that was to hold the call has ended.', {
    hint: 'Call again, or pass --answers FILE: then no such process is needed.',
    cause,
  });

/** Runs in the keeper: receives its order, and exits when the call was delivered or cancelled. */
export async function runKeeper(): Promise<void> {
  const order = await new Promise<KeeperOrder>((resolve) =>
    process.once('message', (sent) => resolve(sent as KeeperOrder)),
  );
  const { keepCall } = await import('./keeper.ts');
  const { env } = process;
  try {
    await keepCall(order, { env, cwd: process.cwd(), now: Date.now, onPrinted }, () => send({ isReady: true }));
  } catch (error) {
    send({ error: sentError(error) });
  }
  // A server in this process may have timers of its own.
  process.exit();
}

/** Passes on what a server in a file prints: the streams of this process are not connected. */
function onPrinted(listener: (text: string) => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.write = (data: string | Uint8Array, ...rest: unknown[]): boolean => {
      listener(typeof data === 'string' ? data : new TextDecoder().decode(data));
      const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
      if (done !== undefined) process.nextTick(done);
      return true;
    };
}

function send(started: Started): void {
  if (process.connected) process.send?.(started);
}
