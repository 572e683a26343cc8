/** Our client connected to a server of any author, a process or an address, with all that it received recorded. */
import { type Client, type ConnectOptions, connect, toText } from 'tenon';
import type { Program } from './programs.ts';

export interface Conversation {
  readonly client: Client;
  /** What the server logged, by the protocol. */
  readonly logs: unknown[];
  /** What the client dropped. */
  readonly faults: Error[];
  /** The lines of the server's standard error. */
  readonly stderr: string[];
  /** The text that a tool answers with. */
  send(name: string, input?: Record<string, unknown>): Promise<string>;
}

/** A user and a model that always answer the same. */
export const answers = {
  elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }),
  sample: () => ({ role: 'assistant', model: 'm1', content: { type: 'text', text: 'Go on.' } }),
  roots: [{ uri: 'file:///work' }],
} as const satisfies ConnectOptions['handlers'];

/** Connects to a program, or to an address. */
export async function converse(target: Program | string, options: ConnectOptions = {}): Promise<Conversation> {
  const logs: unknown[] = [];
  const faults: Error[] = [];
  const stderr: string[] = [];
  const client = await connect(
    typeof target === 'string' ? target : { ...target, stderr: (line: string) => stderr.push(line) },
    {
      handlers: answers,
      logLevel: 'info',
      onLog: (entry) => logs.push(entry),
      onWarning: (error) => faults.push(error),
      ...options,
    },
  );
  const send = async (name: string, input = {}): Promise<string> => toText(await client.tools.call(name, input));
  return { client, logs, faults, stderr, send };
}

/** The numbers of the processes that said they have started. */
export const startedBy = (stderr: readonly string[]): number[] =>
  stderr.flatMap((line) => /^started (\d+)$/.exec(line)?.[1] ?? []).map(Number);
