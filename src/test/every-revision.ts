/** Connects a server to a client for tests: with scripted handlers, recorded messages and a clock of the test. */

import type { Client } from '../client/api/client.ts';
import { connect } from '../client/connect.ts';
import type { TenonError } from '../lib/errors/tenon-error.ts';
import { checkOptions, has, wrong } from '../lib/options/option-rules.ts';
import { createDeadlines } from '../lib/time/deadlines.ts';
import { withDeadlines } from '../lib/time/internal-deadlines.ts';
import { serverExpected } from '../ports/official-server.ts';
import { LATEST_PROTOCOL_VERSION, type ProtocolVersion, protocolVersions } from '../protocol/revisions/revisions.ts';
import type { AcceptOptions } from '../server/transport/accept-options.ts';
import { createMemoryTransports } from '../transport/memory.ts';
import type { Transport } from '../transport/transport.ts';
import { eachProtocolVersionOptions, testConnectionOptions } from './options.table.ts';
import type { EachProtocolVersionOptions, TestConnectionOptions } from './options.ts';
import { type RecordedMessage, recordingTransport } from './recording.ts';
import { playScript } from './script.ts';

function checkServer(caller: string, server: unknown): void {
  if (!has(server, 'accept')) throw wrong(caller, 'server', serverExpected(server));
}

/** A server connected to a client under one protocol version. */
export interface TestConnection<S = unknown> extends AsyncDisposable {
  /** The protocol version in use. */
  readonly protocolVersion: ProtocolVersion;
  /** The connected client. */
  readonly client: Client<S>;
  /** All messages so far, in the order in which the client sent or received them. */
  readonly messages: readonly RecordedMessage[];
  /** What either side reported to `onWarning`. */
  readonly warnings: readonly TenonError[];
  /** Closes the client. Rejects with `server-request-failed` if the server requested something that has no scripted answer. */
  close(): Promise<void>;
}

/** Any server that can be connected to in a test, such as the result of `createServer`. */
export interface ServerLike {
  /** Serves a client over a transport. */
  accept(transport: Transport, options?: AcceptOptions): unknown;
}

/**
 * Connects a server to a client in this process.
 *
 * @example
 * ```ts
 * const { client, close } = await createTestConnection(server, {
 *   handlers: { elicitForm: [{ city: 'Rome' }] },
 * });
 * expect(toText(await client.tools.call('weather'))).toContain('Rome');
 * await close();
 * ```
 */
export async function createTestConnection<S extends ServerLike>(
  server: S,
  options: TestConnectionOptions = {},
): Promise<TestConnection<S>> {
  checkServer('createTestConnection()', server);
  checkOptions('createTestConnection()', options, testConnectionOptions);
  return open(server, options);
}

/** `connect` fills in the defaults of its own options. */
async function open<S extends ServerLike>(server: S, options: TestConnectionOptions): Promise<TestConnection<S>> {
  const {
    protocolVersion = LATEST_PROTOCOL_VERSION,
    handlers = {},
    clock,
    principal,
    alwaysReplay = testConnectionOptions.alwaysReplay.default,
    ...connectOptions
  } = options;
  const messages: RecordedMessage[] = [];
  const warnings: TenonError[] = [];
  const onWarning = (error: TenonError): void => {
    warnings.push(error);
    connectOptions.onWarning?.(error);
  };
  const deadlines = clock && createDeadlines(clock);
  const [here, there] = createMemoryTransports();
  server.accept(there, {
    ...(deadlines && withDeadlines(deadlines)),
    ...(clock && { now: clock.now }),
    ...(principal !== undefined && { principal }),
    replay: alwaysReplay,
    onWarning,
  });
  const transport = recordingTransport(here, messages);
  let failure: TenonError | undefined;
  // Rejects pending calls at once: otherwise a handler could turn the missing answer into a result.
  const onUnscripted = (error: TenonError): void => {
    failure ??= error;
    transport.close(error);
  };
  const client = await connect<S>(transport, {
    ...connectOptions,
    ...(deadlines && withDeadlines(deadlines)),
    protocolVersions: [protocolVersion],
    handlers: playScript(handlers, onUnscripted),
    onWarning,
  });
  const close = async (): Promise<void> => {
    await client.close();
    if (failure !== undefined) throw failure;
  };
  return { protocolVersion, client, messages, warnings, close, [Symbol.asyncDispose]: close };
}

/**
 * Connects under each protocol version, the oldest first. Each connection is closed before the next one opens.
 *
 * @example
 * ```ts
 * for await (const { client, protocolVersion } of eachProtocolVersion(server)) {
 *   expect(await client.tools.call('echo', { text: 'hi' }), protocolVersion).toMatchObject({ content: [{ text: 'hi' }] });
 * }
 * ```
 */
export async function* eachProtocolVersion<S extends ServerLike>(
  server: S,
  options: EachProtocolVersionOptions = {},
): AsyncGenerator<TestConnection<S>, undefined> {
  checkServer('eachProtocolVersion()', server);
  checkOptions('eachProtocolVersion()', options, eachProtocolVersionOptions);
  const { protocolVersions: chosen = protocolVersions, ...rest } = options;
  for (const protocolVersion of chosen) {
    const connection = await open(server, { ...rest, protocolVersion });
    try {
      yield connection;
    } finally {
      await connection.close();
    }
  }
}
