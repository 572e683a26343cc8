/** A server process spoken to by hand: what goes out is written as it is, what comes back is kept line by line. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { withTimeout } from '../with-timeout.ts';

export type Json = Record<string, unknown>;

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RawProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** All lines of its standard output. */
  readonly lines: string[];
  /** What it wrote to its standard error. */
  stderr(): string;
  /** Sends messages, or text as it is, each on a line. */
  send(...messages: unknown[]): void;
  /** The answer to a request of this id, which has come or will. */
  answer(id: unknown): Promise<Json>;
  /** Settles when its standard error holds a text. */
  wrote(text: string): Promise<true>;
  /** Resolves when the process has exited and its output is read. */
  readonly ended: Promise<Ending>;
}

interface RawOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Leaves its standard output unread. */
  readonly unread?: boolean;
}

const present = new Set<ChildProcessWithoutNullStreams>();

/** Ends what a test has left, for `afterEach`. */
export function endAll(): void {
  for (const child of present) child.kill('SIGKILL');
}

export function startRaw(file: string, { env = {}, nodeArgs = [], unread = false }: RawOptions = {}): RawProcess {
  const child = spawn(process.execPath, [...nodeArgs, file], { env: { PATH: process.env.PATH, ...env } });
  present.add(child);
  const lines: string[] = [];
  const answers = new Map<unknown, Json>();
  const watchers = new Set<() => void>();
  const look = (): void => watchers.forEach((watch) => watch());
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
    look();
  });
  child.stdin.on('error', () => {});
  if (!unread) {
    eachLine(child.stdout, (line) => {
      lines.push(line);
      const message = messageIn(line);
      if (message?.id !== undefined) answers.set(message.id, message);
      look();
    });
  }
  const until = <T>(find: () => T | undefined, what: string): Promise<T> => {
    let watch = (): void => {};
    const found = new Promise<T>((resolve) => {
      watch = () => {
        const value = find();
        if (value !== undefined) resolve(value);
      };
      watchers.add(watch);
      watch();
    });
    return withTimeout(found, what).finally(() => watchers.delete(watch));
  };
  const ended = new Promise<Ending>((resolve) =>
    child.once('close', (code, signal) => {
      present.delete(child);
      resolve({ code, signal });
    }),
  );
  return {
    child,
    lines,
    stderr: () => stderr,
    send: (...messages) => void child.stdin.write(messages.map((each) => `${textOf(each)}\n`).join('')),
    answer: (id) => until(() => answers.get(id), `the answer to ${id}`),
    wrote: (text) => until(() => stderr.includes(text) || undefined, `"${text}" on stderr`),
    // The wait begins when the test asks: a process may run for as long as the test works with it.
    get ended() {
      return withTimeout(ended, 'the process to end');
    },
  };
}

const textOf = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message));

function messageIn(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}

export const messagesIn = (lines: readonly string[]): Json[] => lines.map((line) => JSON.parse(line) as Json);

/** A call of a tool that needs nothing before it: it stands alone. */
export const call = (id: unknown, name: string, args: Json = {}): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name,
    arguments: args,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

export const handshake = (revision = '2025-06-18'): Json => ({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

/** The text of a tool's result. */
export const resultText = ({ result }: Json): string | undefined =>
  (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;

/** Hears each line of a stream. Not by readline, which takes more than a newline for the end of a line. */
export function eachLine(stream: Readable, receive: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let open = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (open + decoder.write(chunk)).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
}
