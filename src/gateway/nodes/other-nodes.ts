/** Continues calls that other nodes have: their callers answer here. */
import { requestKeys } from '../../forwarding/forwarded-call.ts';
import type { Reply } from '../../forwarding/remote-call.ts';
import { replyErrorOf } from '../../forwarding/server-request.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import { runInBackground } from '../../lib/values/maybe-promise.ts';
import type { Resumption } from '../../server/features/call-ports.ts';
import type { CallContext } from '../../server/features/context.ts';
import type { Store } from '../../store/store.ts';
import { AwaitedRound, type RoundPorts } from './awaited-round.ts';
import { type NodeMessage, NodeMessages } from './node-messages.ts';
import { type MoreRequests, type Replies, RoundRecords } from './round-records.ts';
import type { RoundNotification } from './round-run.ts';
import { type OpenCall, TakenRound } from './taken-round.ts';

/** The calls of this node that wait for their callers. */
export interface OpenCalls {
  has(callId: string): boolean;
  take(callId: string): OpenCall | undefined;
}

export interface OtherNodesPorts {
  /** The store with which the gateway is served, if any. */
  store(): Store | undefined;
  readonly deadlines: Deadlines;
  calls(): OpenCalls;
  warn(error: TenonError): void;
}

interface Awaited {
  readonly round: AwaitedRound;
  readonly context: CallContext;
}

export class OtherNodes {
  readonly #ports: OtherNodesPorts;
  readonly #rounds: RoundPorts;
  readonly #awaited = new Map<string, Awaited>();
  readonly #taken = new Map<string, TakenRound>();
  /** The records that are being read. */
  readonly #reading = new Set<string>();

  constructor(ports: OtherNodesPorts) {
    this.#ports = ports;
    const { deadlines, warn } = ports;
    const store = (): Store | undefined => ports.store();
    const messages = new NodeMessages({
      store,
      deadlines,
      warn,
      onMessage: (message) => this.#onMessage(message),
      onMissed: () => this.#onMissed(),
    });
    this.#rounds = { records: new RoundRecords(store), messages, deadlines };
  }

  useStore(store: Store): () => void {
    return this.#rounds.messages.useStore(store);
  }

  /** The result of a call that another node has; `undefined` if there is no other one. */
  continue(context: CallContext, resumption: Resumption): Promise<Fields> | undefined {
    return this.#ports.store() === undefined ? undefined : this.#continue(context, resumption);
  }

  /** A call does not continue: another node may have it. */
  abandoned(callId: string, reason: string): void {
    if (this.#ports.store() !== undefined) this.#rounds.messages.publishSoon({ kind: 'abandoned', callId, reason });
  }

  close(): void {
    for (const { round } of this.#awaited.values()) round.close();
    for (const round of this.#taken.values()) round.close();
  }

  async #continue(context: CallContext, resumption: Resumption): Promise<Fields> {
    const { callId } = context;
    context.continueElsewhere();
    let replies = repliesOf(resumption);
    for (;;) {
      const round = new AwaitedRound(this.#rounds, { callId, replies }, context.signal);
      this.#awaited.set(round.id, { round, context });
      const outcome = await round.outcome().finally(() => this.#awaited.delete(round.id));
      if (outcome instanceof RpcError) throw outcome;
      if (outcome.resultType === 'complete') return outcome.result;
      replies = await this.#forwarded(context, outcome);
    }
  }

  /** The requests end the run here. What cannot be sent to the caller is the answer to its request. */
  async #forwarded(context: CallContext, { requests }: MoreRequests): Promise<Replies> {
    const replies = Object.entries(requests).map(async ([key, request]): Promise<[string, Reply]> => {
      try {
        return [key, { result: (await context.forward(key, request)) as Fields }];
      } catch (error) {
        if (context.isSuspended || context.signal.aborted) throw error;
        return [key, { error: replyErrorOf(error) }];
      }
    });
    try {
      return Object.fromEntries(await Promise.all(replies));
    } catch (error) {
      if (!context.isSuspended) this.abandoned(context.callId, String(context.signal.reason));
      throw error;
    }
  }

  #onMessage(message: NodeMessage): void {
    switch (message.kind) {
      case 'answered':
        return runInBackground(
          () => this.#answered(message.id, message.callId),
          (cause) => this.#rounds.messages.failed(cause),
        );
      case 'left':
        return this.#taken.get(message.id)?.left(message.reason);
      case 'ended':
        return this.#awaited.get(message.id)?.round.look();
      case 'notified':
        return notify(this.#awaited.get(message.id)?.context, message.notification);
      case 'abandoned':
        return this.#ports.calls().take(message.callId)?.call.abandoned(message.reason);
    }
  }

  #onMissed(): void {
    for (const { round } of this.#awaited.values()) round.look();
    for (const round of this.#taken.values()) round.look();
  }

  /** The message comes again until the record says that the round was taken. */
  async #answered(id: string, callId: string): Promise<void> {
    const calls = this.#ports.calls();
    if (this.#taken.has(id) || this.#reading.has(id) || !calls.has(callId)) return;
    this.#reading.add(id);
    const stored = await this.#rounds.records.read(id).finally(() => this.#reading.delete(id));
    const isNew = stored !== undefined && stored.taken === undefined;
    const open = isNew && stored.round.callId === callId ? calls.take(callId) : undefined;
    if (stored === undefined || open === undefined) return;
    const round = new TakenRound(this.#rounds, id, stored.round, open);
    this.#taken.set(id, round);
    await round.run().finally(() => this.#taken.delete(id));
  }
}

/** All answers of the caller so far: the other node has not got those of a round whose other requests were open. */
function repliesOf({ journal, answers }: Resumption): Replies {
  const known = Object.entries(journal.answers).map(([key, { answer }]) => [key, answer] as const);
  const fresh = Object.keys(journal.requested)
    .filter((key) => Object.hasOwn(answers, key))
    .map((key) => [key, answers[key]] as const);
  const replies = [...known, ...fresh].filter(([key]) => key.startsWith(requestKeys));
  return Object.fromEntries(replies.map(([key, answer]) => [key, replyOf(answer)]));
}

const replyOf = (answer: unknown): Reply =>
  answer instanceof Error ? { error: replyErrorOf(answer) } : { result: answer as Fields };

function notify(context: CallContext | undefined, sent: RoundNotification): void {
  if (sent.method === 'progress') context?.reportProgress(sent.progress, sent.total, sent.message);
  else context?.log(sent.level, sent.data, sent.logger);
}
