/** Connects a server under one revision or under each, with scripted answers, recorded messages and a clock of its own. */
import type { Client } from '../client/api/client.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import { connect } from '../client/connect.ts';
import { createDeadlines } from '../jsonrpc/deadlines.ts';
import type { TenonError } from '../jsonrpc/errors.ts';
import type { FakeClock } from '../jsonrpc/fake-clock.ts';
import { type RevisionId, revisionIds } from '../protocol/revisions/revisions.ts';
import type { ServeOptions } from '../server/channel/serve-channel.ts';
import type { Channel } from '../transport/channel.ts';
import { memoryChannels } from '../transport/memory.ts';
import { type Frame, recordingChannel } from './recording.ts';
import { playScript, type Script } from './script.ts';

export interface TrialOptions extends Omit<ConnectOptions, 'answers' | 'revisions' | 'deadlines'> {
  /** What the user and the model answer; begun anew for every revision. */
  readonly answers?: Script;
  /** The time of both sides. Without it time passes by itself. */
  readonly clock?: FakeClock;
  /** Whether handlers that ask run again under every revision, as they do under the newest. On by default. */
  readonly replay?: boolean;
}

/** One server connected under one revision. */
export interface Trial<S = unknown> extends AsyncDisposable {
  readonly revision: RevisionId;
  readonly client: Client<S>;
  /** All messages so far, in the order in which the client sent or heard them. */
  readonly frames: readonly Frame[];
  /** What either side dropped, or could not send. */
  readonly faults: readonly Error[];
  /** Throws `unanswered` if something was asked that the script has no answer to. */
  close(): Promise<void>;
}

/** Any server that can be put on trial. */
export interface Served {
  accept(channel: Channel, options?: ServeOptions): unknown;
}

/** Connects under one revision. */
export async function connectAt<S extends Served>(
  server: S,
  revision: RevisionId,
  { answers = {}, clock, replay = true, ...connectOptions }: TrialOptions = {},
): Promise<Trial<S>> {
  const frames: Frame[] = [];
  const faults: Error[] = [];
  const fault = (error: Error): void => {
    faults.push(error);
    connectOptions.fault?.(error);
  };
  const timing = clock === undefined ? {} : { deadlines: createDeadlines(clock) };
  const [here, there] = memoryChannels();
  server.accept(there, { ...timing, replay, fault });
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
    revisions: [revision],
    answers: playScript(answers, onUnscripted),
    fault,
  });
  const close = async (): Promise<void> => {
    await client.close();
    if (failure !== undefined) throw failure;
  };
  return { revision, client, frames, faults, close, [Symbol.asyncDispose]: close };
}

/** Connects under every revision in turn, the oldest first, and closes each before the next. */
export async function* everyRevision<S extends Served>(
  server: S,
  { revisions = revisionIds, ...options }: TrialOptions & { readonly revisions?: readonly RevisionId[] } = {},
): AsyncGenerator<Trial<S>, undefined> {
  for (const revision of revisions) {
    const trial = await connectAt(server, revision, options);
    try {
      yield trial;
    } finally {
      await trial.close();
    }
  }
}
