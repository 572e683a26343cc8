/** The records of rounds that continue a call at another node: the answers of the caller, and the outcome. */
import type { Reply } from '../../forwarding/remote-call.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Done, InputRequest } from '../../protocol/neutral.ts';
import { readOutcome, writeOutcome } from '../../server/kernel/runs/outcome-text.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { Store } from '../../store/store.ts';

/** Answers to requests of an upstream, by the keys under which the caller got these. */
export type Replies = Readonly<Record<string, Reply>>;

/** What the node that has the call gets. */
export interface Round {
  readonly callId: string;
  readonly replies: Replies;
}

/** The upstream requires more of the caller. */
export interface MoreRequests {
  readonly resultType: 'requests';
  readonly requests: Readonly<Record<string, InputRequest>>;
}

export type RoundOutcome = Done | RpcError | MoreRequests;

export interface StoredRound {
  readonly round: Round;
  /** Changes as long as the node that has the call runs it; absent until it has begun. */
  readonly taken: string | undefined;
  readonly outcome: RoundOutcome | undefined;
}

/** Records of nodes that have stopped expire after this time; the clocks of nodes may differ by less. */
const recordMs = 5 * 60_000;

export class RoundRecords {
  readonly #store: () => Store | undefined;

  constructor(store: () => Store | undefined) {
    this.#store = store;
  }

  async create(id: string, round: Round): Promise<void> {
    await this.#sessions.create(keyOf(id), { round: JSON.stringify(round) }, Date.now() + recordMs);
  }

  async read(id: string): Promise<StoredRound | undefined> {
    const fields = await this.#sessions.read(keyOf(id));
    if (fields?.round === undefined) return undefined;
    const { round, taken, outcome } = fields;
    return {
      round: JSON.parse(round) as Round,
      taken,
      outcome: outcome === undefined ? undefined : readRoundOutcome(outcome),
    };
  }

  async take(id: string, taken: number): Promise<void> {
    await this.#update(id, { taken: String(taken) });
  }

  async end(id: string, outcome: RoundOutcome): Promise<void> {
    await this.#update(id, { outcome: writeRoundOutcome(outcome) });
  }

  async delete(id: string): Promise<void> {
    await this.#sessions.delete(keyOf(id));
  }

  async #update(id: string, fields: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.#sessions.update(keyOf(id), fields, Date.now() + recordMs);
  }

  get #sessions(): SessionStore {
    const store = this.#store();
    if (store === undefined) throw new TenonError('store-failed', 'The gateway is no longer served with its store.');
    return store.sessions;
  }
}

const keyOf = (id: string): string => `gateway-round/${id}`;

const writeRoundOutcome = (outcome: RoundOutcome): string | undefined =>
  outcome instanceof RpcError || outcome.resultType === 'complete'
    ? writeOutcome(outcome)
    : `i${JSON.stringify(outcome)}`;

const readRoundOutcome = (text: string): RoundOutcome =>
  text.startsWith('i') ? (JSON.parse(text.slice(1)) as MoreRequests) : readOutcome(text);
