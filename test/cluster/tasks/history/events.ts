/** The events of a task's history: what processes wrote and ran, what the client saw, and which process was lost, in the order of the ledger. */

/** A process of the run. `at` is the boundary at which it was killed or paused. */
export interface ProcessEvent {
  readonly type: 'process';
  readonly process: string;
  readonly what: 'started' | 'killed' | 'paused' | 'resumed';
  readonly at?: string;
}

/** Redis was killed and has started again; or the reply to one operation was lost. */
export interface StoreEvent {
  readonly type: 'store';
  readonly what: 'killed' | 'started' | 'reply-lost';
  readonly at?: string;
}

/** A process asked the store to create a task, and got one. */
export interface TaskCreated {
  readonly type: 'created';
  readonly process: string;
  readonly task: string;
  readonly isNew: boolean;
}

/** An entry of a journal: `key` is that of a step or an answer, or the round of a request for input. */
export interface EntryShown {
  readonly is: string;
  readonly key?: string;
  readonly answer?: string;
}

/** A process took a task, or wrote its row, with entries of its journal. */
export interface RowWritten {
  readonly type: 'written';
  readonly process: string;
  readonly task: string;
  readonly what: string;
  /** How often the task had been changed before: no other change has the same. */
  readonly from: number;
  /** How often it has been changed after it. */
  readonly to: number;
  /** Whether the store accepted it. */
  readonly isDone: boolean;
  readonly state: string;
  readonly fence: number;
  readonly entries: readonly EntryShown[];
}

/** A step begins to run. */
export interface StepBegun {
  readonly type: 'run';
  readonly process: string;
  readonly step: string;
}

/** The ledger got the effect of a step. It happens at the first of each key. */
export interface EffectArrived {
  readonly type: 'effect';
  readonly process: string;
  readonly step: string;
  readonly key: string;
  readonly isFirst: boolean;
}

/** The client received a question. */
export interface QuestionReceived {
  readonly type: 'question';
  readonly process: string;
  readonly task: string;
  readonly question: string;
}

/** The client answers. `isStored`: the server has confirmed that it has the answer. */
export interface AnswerSent {
  readonly type: 'answer';
  readonly process: string;
  readonly task: string;
  readonly question: string;
  readonly answer: string;
  readonly isStored: boolean;
}

/** The client received the status of the task. */
export interface StatusReceived {
  readonly type: 'status';
  readonly process: string;
  readonly task: string;
  readonly status: string;
}

/** The client received the result. */
export interface ResultReceived {
  readonly type: 'result';
  readonly process: string;
  readonly task: string;
  readonly text: string;
}

/** A request of the client failed, and is sent again. */
export interface RequestFailed {
  readonly type: 'failed';
  readonly process: string;
  readonly why: string;
}

/** What the store has in the end. */
export interface TaskStored {
  readonly type: 'stored';
  readonly task: string;
  readonly state: string;
  readonly fence: number;
  readonly entries: readonly EntryShown[];
}

export type TaskEvent =
  | ProcessEvent
  | StoreEvent
  | TaskCreated
  | RowWritten
  | StepBegun
  | EffectArrived
  | QuestionReceived
  | AnswerSent
  | StatusReceived
  | ResultReceived
  | RequestFailed
  | TaskStored;

export type EventOf<T extends TaskEvent['type']> = Extract<TaskEvent, { readonly type: T }>;

/** An event with its place in the history. */
export type Placed<T extends TaskEvent['type']> = EventOf<T> & { readonly place: number };

/** All events of a type, in order, each with its place. */
export const ofType = <T extends TaskEvent['type']>(history: readonly TaskEvent[], type: T): Placed<T>[] =>
  history.flatMap((event, place) => (event.type === type ? [{ ...(event as EventOf<T>), place }] : []));

/**
 * Whether something was lost between two places: a process, or an answer of the store. The store was away until it is
 * started; a write that is refused has followed one whose reply was late, or another worker's; and a request that waited
 * while the store was away may fail a little later.
 */
export const hasLoss = (history: readonly TaskEvent[], from: number, to: number): boolean =>
  history
    .slice(from + 1, to)
    .some(
      (event) =>
        isFault(event) ||
        event.type === 'store' ||
        (event.type === 'written' && !event.isDone) ||
        (event.type === 'failed' && history.slice(0, from).some(isFault)),
    );

export const isFault = (event: TaskEvent): boolean =>
  (event.type === 'process' && (event.what === 'killed' || event.what === 'paused')) ||
  (event.type === 'store' && event.what !== 'started');

/** A worker took the task. */
export const isClaim = ({ isDone, what }: EventOf<'written'>): boolean =>
  isDone && (what === 'claim' || what === 'take-over');

/** Whether a write put an entry into the journal. */
export const hasEntry = ({ isDone, entries }: EventOf<'written'>, is: string, key?: string): boolean =>
  isDone && entries.some((entry) => entry.is === is && (key === undefined || entry.key === key));
