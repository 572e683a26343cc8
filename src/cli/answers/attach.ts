/** Attaches this command to the keeper of a call: sends answers, and waits for what the call does next. */
import { mkdtemp } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Pending } from '../io/command.ts';
import type { Io } from '../io/io.ts';
import { type AttachMessage, type HeldEvent, receivedError } from './keeper-messages.ts';
import { newId } from './pending-calls.ts';

/** The result of the call, or what it asks. */
export type Held = { readonly result: Fields } | { readonly pending: Pending };

/** Starts another process that carries out the command and outlives this one. */
export async function startHeld(io: Io, typed: readonly string[], input: string | undefined): Promise<Held> {
  const id = newId();
  const socket = await socketPath(id);
  await io.startKeeper({ id, socket, typed, input });
  return attach(io, id, socket, {});
}

/** Windows has named pipes, which are in no folder; elsewhere the socket is a file that only this user reaches. */
export const socketPath = async (id: string, platform = process.platform): Promise<string> =>
  platform === 'win32' ? `\\\\.\\pipe\\tenon-${id}` : join(await mkdtemp(join(tmpdir(), 'tenon-')), 'call');

/** Throws the error of the call. */
export function attach(io: Io, id: string, socket: string, message: AttachMessage): Promise<Held> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(socket);
    const leave = (): void => void connection.destroy(io.signal.reason as Error);
    io.signal.addEventListener('abort', leave, { once: true });
    const end = (deliver: () => void): void => {
      io.signal.removeEventListener('abort', leave);
      connection.end();
      deliver();
    };
    connection.on('error', (cause) => end(() => reject(io.signal.aborted ? cause : keeperEnded(cause))));
    connection.on('close', () => end(() => reject(keeperEnded(undefined))));
    connection.on('connect', () => connection.write(`${JSON.stringify(message)}\n`));
    const input = createInterface({ input: connection });
    input.on('error', () => {});
    input.on('line', (line) => {
      const event = JSON.parse(line) as HeldEvent;
      if (event.kind === 'output') io.err(event.text);
      else if (event.kind === 'done') end(() => resolve({ result: event.result }));
      else if (event.kind === 'failed') end(() => reject(receivedError(event.error)));
      else {
        const expires = new Date(event.expires).toISOString();
        end(() => resolve({ pending: { id, questions: event.questions, expires } }));
      }
    });
  });
}

const keeperEnded = (cause: unknown): TenonError =>
  new TenonError('call-not-held', 'The process that held the call has ended.', {
    hint: 'Call again from the start; all questions are asked again.',
    cause,
  });
