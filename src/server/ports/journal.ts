/** What one call knows from its earlier rounds. It travels sealed through the client, or stays with the session. */
import type { Question } from '../../protocol/neutral.ts';

export interface Journal {
  readonly callId: string;
  /** How often the call has asked so far. */
  readonly round: number;
  /** Answers by key, each with the digest of the question it answers. */
  readonly answers: Readonly<Record<string, KnownAnswer>>;
  /** What steps gave. One that gave nothing has no value. */
  readonly steps: Readonly<Record<string, { readonly value?: unknown }>>;
  /** The digests of the questions of the last round. */
  readonly requested: Readonly<Record<string, string>>;
  /** The questions of the last round that the handler asked by returning them. */
  readonly returned?: Readonly<Record<string, Question>>;
  /** What a handler that asks by returning wants to find again. */
  readonly own?: unknown;
}

export interface KnownAnswer {
  /** Absent where the answer came unasked, so that its question is not known. */
  readonly digest?: string;
  readonly answer: unknown;
}

/** The journal of a call that begins with answers to questions not asked yet. */
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
