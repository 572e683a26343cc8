/** Our client connected to a server of any implementation, a process or a URL, with everything it receives recorded. */
import { type Client, type ConnectOptions, connect, toText } from 'tenon';
import type { Program } from './programs.ts';

export interface Conversation {
  readonly client: Client;
  /** The server's log messages. */
  readonly logs: unknown[];
  /** The client's warnings. */
  readonly warnings: Error[];
  /** The lines of the server's standard error. */
  readonly stderr: string[];
  /** Calls a tool and returns the text of its result. */
  send(name: string, input?: Record<string, unknown>): Promise<string>;
}

/** A user and a model with fixed answers. */
export const answers = {
  elicitForm: () => ({ action: 'accept', content: { name: 'Ada' } }),
  sample: () => ({ role: 'assistant', model: 'm1', content: { type: 'text', text: 'Go on.' } }),
  roots: [{ uri: 'file:///work' }],
} as const satisfies ConnectOptions['handlers'];

/** Connects to a program or a URL. */
export async function converse(target: Program | string, options: ConnectOptions = {}): Promise<Conversation> {
  const logs: unknown[] = [];
  const warnings: Error[] = [];
  const stderr: string[] = [];
  const client = await connect(
    typeof target === 'string' ? target : { ...target, stderr: (line: string) => stderr.push(line) },
    {
      handlers: answers,
      logLevel: 'info',
      onLog: (entry) => logs.push(entry),
      onWarning: (error) => warnings.push(error),
      ...options,
    },
  );
  const send = async (name: string, input = {}): Promise<string> => toText(await client.tools.call(name, input));
  return { client, logs, warnings, stderr, send };
}

/** The ids of the processes that reported their start on standard error. */
export const startedBy = (stderr: readonly string[]): number[] =>
  stderr.flatMap((line) => /^started (\d+)$/.exec(line)?.[1] ?? []).map(Number);
