/** Connects a server under one revision or under each, with scripted answers, recorded messages and a clock of its own. */
import type { Client } from '../client/api/client.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { connect } from '../client/connect.ts';
import { createDeadlines } from '../jsonrpc/deadlines.ts';
import type { TenonError } from '../jsonrpc/errors.ts';
import type { FakeClock } from '../jsonrpc/fake-clock.ts';
import { type ProtocolVersion, protocolVersions } from '../protocol/revisions/revisions.ts';
import type { AcceptOptions } from '../server/channel/serve-channel.ts';
import type { Transport } from '../transport/channel.ts';
import { createMemoryTransports } from '../transport/memory.ts';
import { type RecordedMessage, recordingChannel } from './recording.ts';
import { playScript, type ScriptedHandlers } from './script.ts';

export interface TestConnectionOptions extends Omit<ConnectOptions, 'handlers' | 'protocolVersions' | 'deadlines'> {
  /** What the user and the model answer; begun anew for every revision. */
  readonly handlers?: ScriptedHandlers;
  /** The time of both sides. Without it time passes by itself. */
  readonly clock?: FakeClock;
  /** Whether handlers that ask run again under every revision, as they do under the newest. On by default. */
  readonly replay?: boolean;
}

/** One server connected under one revision. */
export interface TestConnection<S = unknown> extends AsyncDisposable {
  readonly protocolVersion: ProtocolVersion;
  readonly client: Client<S>;
  /** All messages so far, in the order in which the client sent or heard them. */
  readonly messages: readonly RecordedMessage[];
  /** What either side dropped, or could not send. */
  readonly warnings: readonly Error[];
  /** Throws `server-request-failed` if something was asked that the script has no answer to. */
  close(): Promise<void>;
}

/** Any server that can be put on trial. */
export interface Served {
  accept(channel: Transport, options?: AcceptOptions): unknown;
}

/** Connects under one revision. */
export async function createTestConnection<S extends Served>(
  server: S,
  revision: ProtocolVersion,
  { handlers: answers = {}, clock, replay = true, ...connectOptions }: TestConnectionOptions = {},
): Promise<TestConnection<S>> {
  const frames: RecordedMessage[] = [];
  const faults: Error[] = [];
  const fault = (error: Error): void => {
    faults.push(error);
    connectOptions.onWarning?.(error);
  };
  const timing = clock === undefined ? {} : { deadlines: createDeadlines(clock) };
  const served = clock === undefined ? {} : { ...timing, now: clock.now };
  const [here, there] = createMemoryTransports();
  server.accept(there, { ...served, replay, onWarning: fault });
  const channel = recordingChannel(here, frames);
  let failure: TenonError | undefined;
  // Rejects pending calls at once: a handler could else turn the missing answer into a result.
  const onUnscripted = (error: TenonError): void => {
    failure ??= error;
    channel.close(error);
  };
  const client = await connect<S>(channel, {
    ...connectOptions,
    ...timing,
    protocolVersions: [revision],
    handlers: playScript(answers, onUnscripted),
    onWarning: fault,
  });
  const close = async (): Promise<void> => {
    await client.close();
    if (failure !== undefined) throw failure;
  };
  return { protocolVersion: revision, client, messages: frames, warnings: faults, close, [Symbol.asyncDispose]: close };
}

/** Connects under every revision in turn, the oldest first, and closes each before the next. */
export async function* eachProtocolVersion<S extends Served>(
  server: S,
  {
    revisions = protocolVersions,
    ...options
  }: TestConnectionOptions & { readonly revisions?: readonly ProtocolVersion[] } = {},
): AsyncGenerator<TestConnection<S>, undefined> {
  for (const revision of revisions) {
    const trial = await createTestConnection(server, revision, options);
    try {
      yield trial;
    } finally {
      await trial.close();
    }
  }
}
