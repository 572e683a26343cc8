/** The state of one call from its earlier rounds. It travels sealed through the client, or stays in the session. */
import type { InputRequest } from '../../protocol/neutral.ts';

export interface Journal {
  readonly callId: string;
  /** How often the call has requested input so far. */
  readonly round: number;
  /** Answers by key, each with the digest of its request. */
  readonly answers: Readonly<Record<string, KnownAnswer>>;
  /** The results of steps. A step that returned `undefined` has no value. */
  readonly steps: Readonly<Record<string, { readonly value?: unknown }>>;
  /** When sleeps end, by key: on the clock of the store in a task. */
  readonly sleeps?: Readonly<Record<string, number>>;
  /** The keys of the sleeps for which the run has ended. */
  readonly sleeping?: readonly string[];
  /** The digests of the requests of the last round. */
  readonly requested: Readonly<Record<string, string>>;
  /** The requests of the last round that the handler returned with `inputRequired()`. */
  readonly returned?: Readonly<Record<string, InputRequest>>;
  /** Whether they came from another server, which gets the answers as they are. */
  readonly isForwarded?: boolean;
  /** The state that the handler returned with `inputRequired()`. */
  readonly own?: unknown;
}

export interface KnownAnswer {
  /** Absent for an answer that came without a request. */
  readonly digest?: string;
  readonly answer: unknown;
}

/** The journal of a call whose first request has answers already. */
export const journalWithAnswers = (answers: Readonly<Record<string, unknown>>): Journal => ({
  ...newJournal(),
  answers: Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, { answer }])),
});

export const newJournal = (): Journal => ({
  callId: crypto.randomUUID(),
  round: 0,
  answers: {},
  steps: {},
  requested: {},
});
