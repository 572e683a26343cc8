/** The journal of a task: its call, requests, answers and steps so far. Entries are written once and never changed. */
import { RpcError } from '../../../../jsonrpc/errors.ts';
import type { Fields } from '../../../../lib/values/is.ts';
import type { PrincipalDetails } from '../../../../ports/principal.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import type { ClientCapabilities, Implementation } from '../../../../protocol/generated/types/records.ts';
import type { Done } from '../../../../protocol/neutral.ts';
import { type Journal, type KnownAnswer, newJournal } from '../../../ports/journal.ts';
import type { SentRequest } from '../../../ports/link.ts';
import { unanswered } from '../../../server-requests/request-errors.ts';

/** The call that a task carries out, and for whom. */
export interface TaskCall {
  readonly params: Fields;
  readonly meta: Fields;
  /** The revision in which it was sent. */
  readonly revision: string;
  readonly client?: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly principal?: string | PrincipalDetails;
  /** The address of the client: rules about networks hold for each attempt. */
  readonly address?: string;
}

/** Requests for input with which a run has ended. */
export interface AskedEntry {
  readonly is: 'asked';
  /** Counts the rounds of a task: the keys of two rounds may be equal. */
  readonly round: number;
  readonly requests: Readonly<Record<string, SentRequest>>;
  /** The digests of requests that the handler waits for; absent if it returned them. */
  readonly digests?: Readonly<Record<string, string>>;
  /** The rounds of requests that an earlier run has made already. */
  readonly rounds?: Readonly<Record<string, number>>;
  /** The state that the handler returned with them. */
  readonly own?: unknown;
  /** Whether they came from another server. */
  readonly isForwarded?: boolean;
}

export type Entry =
  | { readonly is: 'call'; readonly call: TaskCall }
  /** The answers and steps before the call became a task. */
  | ({ readonly is: 'earlier' } & Pick<Journal, 'round' | 'answers' | 'steps' | 'sleeps'>)
  /** A step that must not run twice is about to run. */
  | { readonly is: 'begun'; readonly key: string }
  | { readonly is: 'step'; readonly key: string; readonly value?: unknown }
  /** When sleeps end, on the clock of the store. */
  | { readonly is: 'asleep'; readonly ends: Readonly<Record<string, number>> }
  | AskedEntry
  /** `key` is that of the client: with its round. */
  | { readonly is: 'answer'; readonly key: string; readonly answer: unknown }
  /** The client did not answer, or with an error. */
  | { readonly is: 'unanswered'; readonly key: string; readonly message: string }
  | { readonly is: 'result'; readonly done: Done }
  | { readonly is: 'error'; readonly error: StoredError };

export interface StoredError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly reason: string;
}

/** The entries of a task, read together. */
export interface TaskJournal {
  readonly call: TaskCall;
  /** The journal that the next run begins with; it has no rounds before the first request for input. */
  readonly journal: Journal;
  /** The answers to the last requests. */
  readonly answers: Readonly<Fields>;
  /** The last requests. */
  readonly asked: AskedEntry | undefined;
  /** The requests that have no answer yet, by the keys of the client. */
  readonly open: Readonly<Record<string, SentRequest>>;
  /** Steps that were begun under `begun`, and may have run. */
  readonly begun: ReadonlySet<string>;
  readonly outcome: Done | RpcError | undefined;
}

/** What a run needs to know of the journal. */
export type KnownJournal = Pick<TaskJournal, 'journal' | 'asked' | 'open' | 'begun'>;

/** The key of a request as the client gets it: no two requests of a task have the same. */
export const clientKey = (round: number, key: string): string => `${round}.${key}`;

/** The key under which the client got a request of an entry. */
export const clientKeyOf = (asked: Rounds, key: string): string => clientKey(roundOf(asked, key), key);

type Rounds = Pick<AskedEntry, 'round' | 'rounds'>;

/** The round in which a request was first made. */
export const roundOf = ({ round, rounds = {} }: Rounds, key: string): number =>
  Object.hasOwn(rounds, key) ? (rounds[key] ?? round) : round;

/** For keys of the author: `constructor` and `__proto__` are ordinary keys. */
export const createKeyed = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

/** The entry for an answer; an error is one that the client did not give. */
export const answerEntry = (key: string, answer: unknown): Entry =>
  answer instanceof Error ? { is: 'unanswered', key, message: answer.message } : { is: 'answer', key, answer };

export function readJournal(id: string, texts: readonly string[]): TaskJournal {
  const entries = texts.map((text) => JSON.parse(text) as Entry);
  const first = entries[0];
  if (first?.is !== 'call') throw new Error(`The journal of the task ${id} does not begin with its call`);
  const steps = createKeyed<{ readonly value?: unknown }>();
  const answered: Fields = {};
  const known = createKeyed<KnownAnswer>();
  const sleeps = createKeyed<number>();
  const begun = new Set<string>();
  let asked: AskedEntry | undefined;
  let earlierRounds = 0;
  let outcome: Done | RpcError | undefined;
  for (const entry of entries) {
    if (entry.is === 'earlier') {
      Object.assign(known, entry.answers);
      Object.assign(steps, entry.steps);
      Object.assign(sleeps, entry.sleeps);
      earlierRounds = entry.round;
    }
    if (entry.is === 'begun') begun.add(entry.key);
    if (entry.is === 'step') steps[entry.key] = 'value' in entry ? { value: entry.value } : {};
    if (entry.is === 'asleep') Object.assign(sleeps, entry.ends);
    if (entry.is === 'asked') {
      if (asked !== undefined) Object.assign(known, answersOf(asked, answered));
      asked = entry;
    }
    if (entry.is === 'answer') answered[entry.key] ??= entry.answer;
    if (entry.is === 'unanswered') answered[entry.key] ??= unanswered(new Error(entry.message));
    if (entry.is === 'result') outcome = entry.done;
    if (entry.is === 'error') outcome = errorOf(entry.error);
  }
  const journal: Journal = {
    callId: id,
    round: asked?.round ?? earlierRounds,
    answers: known,
    steps,
    sleeps,
    requested: asked?.digests ?? {},
    ...(asked !== undefined && asked.digests === undefined ? returnedIn(asked) : {}),
  };
  return { call: first.call, journal, begun, outcome, asked, ...answersAndOpen(asked, answered) };
}

const returnedIn = ({ requests, own, isForwarded }: AskedEntry): Pick<Journal, 'returned' | 'own' | 'isForwarded'> => ({
  returned: requests,
  own,
  ...(isForwarded === true && { isForwarded }),
});

/** What is known of a journal that the store has deleted for newer ones. */
export const deletedJournal = (id: string): TaskJournal => ({
  call: { params: {}, meta: {}, revision: '', capabilities: {} },
  journal: { ...newJournal(), callId: id },
  answers: {},
  asked: undefined,
  open: {},
  begun: new Set(),
  outcome: rpcError(
    'server-error',
    'The task has finished, and its result is no longer stored: newer ones took its room',
    {
      taskId: id,
    },
  ),
});

/** The answers to a round, as later rounds know them. */
function answersOf(asked: AskedEntry, answered: Readonly<Fields>): Record<string, KnownAnswer> {
  const known = createKeyed<KnownAnswer>();
  for (const [key, digest] of Object.entries(asked.digests ?? {})) {
    const named = clientKeyOf(asked, key);
    if (Object.hasOwn(answered, named)) known[key] = { digest, answer: answered[named] };
  }
  return known;
}

function answersAndOpen(
  asked: AskedEntry | undefined,
  answered: Readonly<Fields>,
): Pick<TaskJournal, 'answers' | 'open'> {
  const answers: Fields = createKeyed();
  const open: Record<string, SentRequest> = {};
  for (const [key, request] of Object.entries(asked?.requests ?? {})) {
    const named = clientKeyOf(asked as AskedEntry, key);
    if (Object.hasOwn(answered, named)) answers[key] = answered[named];
    else open[named] = request;
  }
  return { answers, open };
}

const errorOf = ({ code, message, data, reason }: StoredError): RpcError => new RpcError(code, message, data, reason);

/** The entries with which a task begins, as texts. */
export function firstEntries(call: TaskCall, journal: Journal | undefined, more: readonly Entry[] = []): string[] {
  const first: Entry[] = [{ is: 'call', call }, ...(journal === undefined ? [] : [earlierEntry(journal)])];
  return [...first, ...more].map((entry) => JSON.stringify(entry));
}

/** The entry for the rounds of a call before it became a task. */
const earlierEntry = ({ round, answers, steps, sleeps = {} }: Journal): Entry => ({
  is: 'earlier',
  round,
  answers,
  steps,
  sleeps,
});

/** The entry for the outcome of a task. Whom a result is for, and how it may be cached, is decided when it is read. */
export function outcomeEntry(outcome: Done | RpcError): Entry {
  if (!(outcome instanceof RpcError)) return { is: 'result', done: outcome };
  const { code, message, data, reason } = outcome;
  return { is: 'error', error: { code, message, reason, ...(data === undefined ? {} : { data }) } };
}
