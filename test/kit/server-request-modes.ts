/** The modes in which a handler with server requests runs: exchange, session, and session with replay. */

import type { ConnectOptions } from 'tenon';
import { type Client, connect, createServer, type ProtocolVersion, type Server, type ServerOptions, tool } from 'tenon';
import type { AcceptOptions, Context } from 'tenon/server';
import { createMemoryTransports } from 'tenon/transport';
import { isSession } from './version-order.ts';

export interface Mode {
  readonly name: string;
  readonly revision: ProtocolVersion;
  readonly replay: boolean;
  /** Whether handlers run again from the start when their server requests are answered. */
  readonly repeats: boolean;
}

const mode = (revision: ProtocolVersion, replay = false): Mode => ({
  name: replay ? `${revision} with replay` : revision,
  revision,
  replay,
  repeats: replay || !isSession(revision),
});

/** The modes of revisions with form elicitation. */
export const formModes: readonly Mode[] = [
  mode('2026-07-28'),
  mode('2025-11-25'),
  mode('2025-11-25', true),
  mode('2025-06-18'),
  mode('2025-06-18', true),
];

export const repeatingModes = formModes.filter(({ repeats }) => repeats);

/** All modes: every revision has sampling and roots. */
export const allModes: readonly Mode[] = [
  ...formModes,
  mode('2025-03-26'),
  mode('2025-03-26', true),
  mode('2024-11-05'),
  mode('2024-11-05', true),
];

export type Handler = (context: Context) => string | Promise<string>;

/** A server with one tool, `it`. */
export const serverOf = (run: Handler, options: ServerOptions = {}): Server =>
  createServer(
    { name: 'requesting', version: '1', tools: { it: tool({}, (_given, context) => run(context)) } },
    options,
  );

/** Connects in one mode. `failures` records what the handlers threw. */
export async function opened(
  { revision, replay }: Mode,
  run: Handler,
  { server = {}, accept = {}, ...client }: ConnectOptions & { server?: ServerOptions; accept?: AcceptOptions } = {},
): Promise<{ client: Client; failures: unknown[] }> {
  const failures: unknown[] = [];
  const made = serverOf(run, { alwaysReplay: replay, onError: (error) => failures.push(error), ...server });
  const [here, there] = createMemoryTransports();
  made.accept(there, accept);
  return { client: await connect(here, { protocolVersions: [revision], ...client }), failures };
}

/** The text of a tool result. */
export const textOf = (result: { content: ReadonlyArray<{ type: string }> }): unknown =>
  result.content.map((block) => ('text' in block ? block.text : block.type)).join();

/** Calls the tool and returns its text. */
export const run = async (client: Client): Promise<unknown> => textOf(await client.tools.call('it'));

/** A form with one text field. */
export const form = (message: string, name = 'value') => ({
  message,
  requestedSchema: { type: 'object' as const, properties: { [name]: { type: 'string' as const } }, required: [name] },
});

/** Fills in a form with the value that belongs to its message. */
export const filledBy =
  (values: Readonly<Record<string, string>>) =>
  ({ message }: { message: string }) => ({ action: 'accept' as const, content: { value: values[message] ?? message } });

export const sampled = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'hi' } };

/** A client that answers every kind of server request. */
export const everything = {
  elicitForm: filledBy({}),
  elicitUrl: () => ({ action: 'accept' as const }),
  sample: () => sampled,
  samplingTools: true,
  roots: [{ uri: 'file:///a' }],
};
