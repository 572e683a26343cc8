/** Our client over HTTP: what it is connected with, and what it heard. */
import { type Client, type ConnectOptions, connect, textOf } from 'tenon';
import { answers } from '../../kit/peers/conversation.ts';

export interface Talk {
  readonly client: Client;
  readonly logs: unknown[];
  readonly faults: Error[];
  say(name: string, input?: Record<string, unknown>): Promise<string>;
}

export async function talkTo(url: string, options: ConnectOptions = {}): Promise<Talk> {
  const logs: unknown[] = [];
  const faults: Error[] = [];
  const client = await connect(url, {
    answers,
    logLevel: 'info',
    log: (entry) => logs.push(entry),
    fault: (error) => faults.push(error),
    reconnect: false,
    ...options,
  });
  const say = async (name: string, input = {}): Promise<string> => textOf(await client.tools.call(name, input));
  return { client, logs, faults, say };
}
