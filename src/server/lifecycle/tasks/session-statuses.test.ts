/** What a session is notified of when messages about its tasks arrive late. */
import { describe, expect, it } from 'vitest';
import { sessionTasks } from '../../../protocol/tasks/session-tasks.ts';
import type { TaskStatus, TaskStatusChange } from '../../ports/change-notifications.ts';
import { SessionStatuses } from './session-statuses.ts';

const sessionKey = 'session';

function status(is: TaskStatus['info']['status'], changes: number, progress: number): TaskStatus {
  const times = { createdAt: 0, updatedAt: 0, ttlMs: 1000, pollIntervalMs: 1000 };
  const info = { taskId: 't', status: is, isToolError: false, progress: { progress }, ...times };
  return { info, owner: 'ann', session: sessionKey, changes, open: [], progress: { progressToken: 1, progress } };
}

function followed() {
  const sent: unknown[] = [];
  const statuses = new SessionStatuses({
    sessionKey,
    form: sessionTasks,
    revision: undefined as never,
    notify: ({ method, params }) => sent.push([method, params?.status ?? params?.progress]),
    client: undefined as never,
    ask: () => undefined,
    failed: (error) => sent.push(error),
  });
  /** A message about a change, whose reader finds `found`. */
  const changed = (found: TaskStatus): void => {
    const change: TaskStatusChange = {
      kind: 'task',
      task: { id: 't', session: sessionKey },
      read: () => found,
      outcomeOf: async () => undefined,
    };
    statuses.changed(change);
  };
  return { statuses, changed, sent };
}

describe('a session', () => {
  it('is notified once of the end of a task, although several messages find it over [s-tasks-19, s-progress-11]', () => {
    const { changed, sent, statuses } = followed();
    changed(status('working', 1, 5));
    for (let n = 0; n < 3; n++) changed(status('completed', 3, 10));
    statuses.follow('t', 'ann');
    changed(status('completed', 3, 10));
    expect(sent).toEqual([
      ['notifications/progress', 5],
      ['notifications/tasks/status', 'completed'],
    ]);
  });

  it('is notified of nothing that an earlier change has read late', () => {
    const { changed, sent } = followed();
    changed(status('working', 4, 8));
    changed(status('working', 2, 9));
    expect(sent).toEqual([['notifications/progress', 8]]);
  });

  it('is notified of the end of a task whose worker had written nothing when its deadline passed', () => {
    const { changed, sent } = followed();
    changed(status('working', 4, 8));
    changed(status('failed', 4, 8));
    expect(sent.at(-1)).toEqual(['notifications/tasks/status', 'failed']);
  });

  it('remembers no ID that no task can have, however often its client asks about one [S24]', () => {
    const { statuses } = followed();
    for (let n = 0; n < 100; n++) statuses.follow(`${n}${'x'.repeat(1_000_000)}`, 'ann');
    statuses.follow('t', 'ann');
    const read: string[] = [];
    statuses.changed({
      kind: 'task',
      task: undefined,
      read: (id) => void read.push(id),
      outcomeOf: async () => undefined,
    });
    expect(read).toEqual(['t']);
  });
});
