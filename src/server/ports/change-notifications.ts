/** Changes of a server's features: published once, sent by every connection in the form of its revision. */

import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import type { GuardedCaller, GuardedFeature } from '../../ports/guard.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { TaskContent, TaskInfo } from '../../protocol/tasks/task-form.ts';

/** A change of a list. */
export interface ListChange {
  /** The list. */
  readonly kind: 'tools' | 'resources' | 'prompts';
  /** What was added, changed or removed; absent if it may be anything. */
  readonly changed?: readonly GuardedFeature[];
}

/** How far a task is, and which session created it. */
export interface TaskStatus {
  readonly info: TaskInfo;
  readonly owner: string;
  readonly session: string | undefined;
  /** Grows with every change. */
  readonly changes: number;
  /** The requests that wait for an answer, by their keys. */
  readonly open: readonly string[];
  /** Absent if its creator wants no progress, or there was none. */
  readonly progress?: Readonly<Record<string, unknown>> & { readonly progress: number };
}

/** What has come of a task; a cancelled one has no content. */
export interface ShownOutcome {
  readonly content: TaskContent | undefined;
}

/** A task may have changed; any may if `task` is absent, since messages about them may be lost. Only of this process. */
export interface TaskStatusChange {
  readonly kind: 'task';
  readonly task: { readonly id: string; readonly session: string } | undefined;
  read(id: string): MaybePromise<TaskStatus | undefined>;
  /** What has come of a task, as a revision shows it; `undefined` if a guard hides it from this caller. */
  outcomeOf(
    status: TaskStatus,
    revision: Revision,
    caller: GuardedCaller | undefined,
  ): Promise<ShownOutcome | undefined>;
}

/** A change of a server's features, or a notification to all clients. */
export type Change =
  | ListChange
  | TaskStatusChange
  | { readonly kind: 'resource'; readonly uri: string }
  /** Any list and any resource may have changed: a node that shares the store may have missed changes. */
  | { readonly kind: 'all' }
  /** A notification of an extension; clients that declared `extension` get it. */
  | {
      readonly kind: 'notification';
      readonly extension: string | undefined;
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  /** A log message that belongs to no call; sessions with this level or a lower one get it. */
  | {
      readonly kind: 'log';
      readonly level: LoggingLevel;
      readonly message: { readonly method: string; readonly params?: Record<string, unknown> | undefined };
    };

/** The lists that may have changed. */
export const listKinds = ['tools', 'resources', 'prompts'] as const;

export interface ChangeNotifier {
  publish(change: Change): void;
  /** Returns a function that stops listening. */
  listen(onChange: (change: Change) => void): () => void;
}

export function createChangeNotifier(): ChangeNotifier {
  const listeners = new Set<(change: Change) => void>();
  return {
    publish(change) {
      for (const onChange of listeners) onChange(change);
    },
    listen(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}

/**
 * Whether a resource or one above it is watched. Looks for each in turn: a caller may watch so many that comparing all of
 * them with every change would hold up the others.
 */
export function isWatched(watched: Pick<ReadonlySet<string>, 'has'>, uri: string): boolean {
  if (watched.has(uri)) return true;
  for (let at = uri.indexOf('/'); at !== -1; at = uri.indexOf('/', at + 1))
    if (watched.has(uri.slice(0, at)) || watched.has(uri.slice(0, at + 1))) return true;
  return false;
}
