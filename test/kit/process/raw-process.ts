/** A server process over raw pipes: the test writes every line itself and reads the output line by line. */
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
  /** The lines of its standard output. */
  readonly lines: string[];
  /** Its standard error so far. */
  stderr(): string;
  /** Sends each message on a line; a string is sent as it is. */
  send(...messages: unknown[]): void;
  /** Resolves with the answer to this request id. */
  answer(id: unknown): Promise<Json>;
  /** Resolves when its standard error contains a text. */
  wrote(text: string): Promise<true>;
  /** Resolves when the process has exited and its output has been read. */
  readonly ended: Promise<Ending>;
}

interface RawOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** Leaves its standard output unread. */
  readonly unread?: boolean;
}

const present = new Set<ChildProcessWithoutNullStreams>();

/** Kills the processes that a test has left running, for `afterEach`. */
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
    // The timeout starts with the first read: a process may run as long as the test needs it.
    get ended() {
      return withTimeout(ended, 'the process to exit');
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

/** A tool call of 2026-07-28, which needs no handshake. */
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

/** Calls back with each line of a stream. `readline` does not fit: it splits at more than newlines. */
export function eachLine(stream: Readable, receive: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let open = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (open + decoder.write(chunk)).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
}
