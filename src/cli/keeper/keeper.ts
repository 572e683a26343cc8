/** A process that holds a call open until its user has answered. Commands attach to it through a socket. */
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Deadlines, processDeadlines } from '../../lib/time/deadlines.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import type { Fields } from '../../lib/values/is.ts';
import { type AttachMessage, type HeldEvent, sentError } from '../answers/keeper-messages.ts';
import { answerMs, PendingCalls, shownCommand } from '../answers/pending-calls.ts';
import type { Io, KeeperOrder } from '../io/io.ts';
import { noPrompts } from '../io/prompts.ts';
import { commands } from '../manifest/commands.ts';
import { readArguments } from '../manifest/read-arguments.ts';
import { HeldCall } from './held-call.ts';
import type { HeldWork } from './held-work.ts';

export interface KeeperProcess extends Pick<Io, 'env' | 'cwd' | 'now'> {
  /** Passes on what other code of the process prints. */
  onPrinted?(listener: (text: string) => void): void;
}

/** Resolves when the call was delivered or cancelled; `onReady` is called when commands can attach. */
export async function keepCall(
  order: KeeperOrder,
  { onPrinted, ...own }: KeeperProcess,
  onReady: () => void,
  deadlines: Deadlines = processDeadlines(),
): Promise<void> {
  const pending = new PendingCalls(own);
  const stop = new AbortController();
  const finished = createDeferred<void>();
  const { id, socket } = order;
  const shown = shownCommand(order.typed);
  const held = new HeldCall({
    deadlines,
    now: own.now,
    answerMs,
    store: (questions, expires) =>
      pending.write({ id, shown, expires, questions, continuation: { kind: 'keeper', socket } }),
    forget: () => pending.delete(id),
    onAbandoned: (reason) => {
      stop.abort(new TenonError('cancelled', `The call was cancelled: ${reason}.`));
      finished.resolve();
    },
    onFinished: () => finished.resolve(),
  });
  const io = detachedIo({
    ...own,
    err: (text) => held.output(text),
    signal: stop.signal,
    readInput: async () => order.input ?? '',
  });
  onPrinted?.(io.err);
  let running: Promise<void> | undefined;
  // It begins with the first command that attaches, which shows what the server prints.
  const begin = (): void => {
    running ??= runHeld(order.typed, io, (request, signal) => held.ask(request, signal)).then(
      (result) => held.setOutcome({ kind: 'done', result }),
      (error: unknown) => held.setOutcome({ kind: 'failed', error: sentError(error) }),
    );
  };
  const server = await listen(socket, (connection) => serve(held, connection, begin));
  onReady();
  await finished.promise;
  await running;
  await closed(server);
  await pending.delete(id);
  await rm(dirname(socket), { recursive: true, force: true });
}

async function runHeld(typed: readonly string[], io: Io, ask: Parameters<HeldWork>[1]): Promise<Fields> {
  const [name = '', ...args] = typed;
  const spec = commands.find((one) => one.name === name);
  if (spec === undefined) throw new TenonError('invalid-argument', `There is no command ${name}.`);
  const { heldCommands } = await import('./held-work.ts');
  const work = heldCommands[name];
  if (work === undefined) throw new TenonError('invalid-argument', `tenon ${name} cannot be held.`);
  const inner = { names: [], run: () => Promise.reject(new Error('A keeper runs one command.')) };
  return work(readArguments(spec, args, { io, client: undefined, inner }), ask);
}

/** Serves one command. It sends one line, an `AttachMessage`, and gets events until it is detached. */
function serve(held: HeldCall, connection: Socket, begin: () => void): void {
  const attached = (event: HeldEvent): void => {
    connection.write(`${JSON.stringify(event)}\n`);
    if (event.kind !== 'output') connection.end();
  };
  connection.on('error', () => {});
  connection.on('close', () => held.detach(attached));
  const input = createInterface({ input: connection });
  input.on('error', () => {});
  input.once('line', (line) => {
    const { answers = {} } = JSON.parse(line) as AttachMessage;
    const wrong = held.answer(answers);
    if (wrong === undefined) {
      held.attach(attached);
      begin();
    } else attached({ kind: 'failed', error: sentError(notOpen(wrong)) });
  });
}

const notOpen = (key: string): TenonError =>
  new TenonError('invalid-argument', `The question ${key} is not open any more.`, { hint: 'See tenon answer.' });

/** Only this user may connect: the folder of the socket is private too. */
async function listen(socket: string, onConnection: (connection: Socket) => void): Promise<Server> {
  const server = createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  if (process.platform !== 'win32') await chmod(socket, 0o600);
  return server;
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

const unavailable = async (): Promise<never> => {
  throw new Error('This process has no standard streams.');
};

/** A process without streams: no user can be asked. `own` is what it has. */
const detachedIo = (own: Pick<Io, 'env' | 'cwd' | 'now' | 'err' | 'signal' | 'readInput'>): Io => ({
  ...own,
  out() {},
  reserveOutput() {},
  exitWhenDone() {},
  isTerminal: false,
  canAsk: false,
  prompts: noPrompts,
  columns: 80,
  hasColor: false,
  catchInterrupts: () => () => {},
  after: () => () => {},
  readLine: async () => undefined,
  startKeeper: unavailable,
  openStdio: unavailable,
});
