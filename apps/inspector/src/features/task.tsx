/** A task that no tool is known for, such as one of another client: its state, and its result once it is followed. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { shownTime } from '../controls/format.ts';
import { Empty } from '../controls/notice.tsx';
import { isFinished } from '../state/known.ts';
import { place } from '../state/place.ts';
import { taskIdOf } from '../state/runs.ts';
import { known } from '../state/store.ts';
import { Head } from './head.tsx';
import { Outcome } from './outcome.tsx';
import { RunBar } from './run-bar.tsx';

export function TaskPane({ client }: { readonly client: ClientInfo }) {
  const { name: taskId } = place.value;
  const task = known.value.tasks.find((each) => each.client === client.id && each.task.taskId === taskId)?.task;
  if (task === undefined) return <Empty>Choose a task under Activity.</Empty>;
  const { status, statusMessage, createdAt, lastUpdatedAt } = task;
  const key = `task ${task.taskId}`;
  // Two that follow it would ask for the same input twice.
  const isFollowed = known.value.runs.some((run) => run.status === 'running' && taskIdOf(run) === task.taskId);
  const facts = [
    ['State', [status, statusMessage].filter(Boolean).join(': ')],
    ['Created', shownTime(Date.parse(createdAt))],
    ['Updated', shownTime(Date.parse(lastUpdatedAt))],
  ] as const;
  return (
    <article key={key} class="item-pane">
      <Head title="Task" name={task.taskId} about="The server does not say which tool it belongs to." />
      <dl class="facts">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </>
        ))}
      </dl>
      <RunBar
        client={client}
        request={{ kind: 'task', taskId: task.taskId }}
        itemKey={key}
        text={isFinished(task) ? 'Get its result' : isFollowed ? 'A run follows it' : 'Follow it'}
        isReady={!isFollowed}
      />
      <Outcome itemKey={key} client={client} />
    </article>
  );
}
