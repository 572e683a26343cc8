/** Tasks of the servers: their states, progress and input, and Cancel. */
import { useEffect } from 'preact/hooks';
import type { RunInfo } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { isFinished, type KnownTask } from '../state/known.ts';
import { showPane } from '../state/panes.ts';
import { choose } from '../state/place.ts';
import { showRun, start, taskIdOf } from '../state/runs.ts';
import { client, known, putTasks } from '../state/store.ts';

const colors: Readonly<Record<KnownTask['task']['status'], string>> = {
  working: 'busy',
  input_required: 'asking',
  completed: 'good',
  failed: 'bad',
  cancelled: 'off',
};

const words: Readonly<Record<KnownTask['task']['status'], string>> = {
  working: 'working',
  input_required: 'input required',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

const rowsAtMost = 20;

export function Tasks() {
  const shown = client.value;
  const isReady = shown?.state === 'ready' && shown.capabilities !== undefined;
  useEffect(() => {
    if (shown === undefined || !isReady) return;
    void call('tasks', { client: shown.id }).then(
      ({ tasks }) => putTasks(shown.id, tasks),
      () => undefined,
    );
  }, [shown?.id, isReady]);
  const tasks = known.value.tasks.slice(0, rowsAtMost);
  if (tasks.length === 0) return null;
  return (
    <section class="aside-part tasks" aria-label="Tasks">
      <h2>Tasks</h2>
      <ul>
        {tasks.map((each) => (
          <TaskRow key={`${each.client} ${each.task.taskId}`} {...each} />
        ))}
      </ul>
    </section>
  );
}

function TaskRow({ client: id, task }: KnownTask) {
  const run = known.value.runs.find((each) => taskIdOf(each) === task.taskId);
  const tool = run && toolOf(run);
  const name = tool ?? task.taskId;
  const { progress } = run ?? {};
  const isDone = isFinished(task);
  const open = (): void => {
    if (run !== undefined && tool !== undefined) showRun(`tool ${tool}`, run.id);
    choose({
      client: id,
      ...(tool === undefined ? { section: 'tasks', name: task.taskId } : { section: 'tools', name: tool }),
    });
    showPane('section');
  };
  // Following a task brings its questions.
  const isUnanswered = task.status === 'input_required' && run?.status !== 'running';
  return (
    <li class="task">
      <button type="button" class="task-row" onClick={open} title={task.taskId}>
        <span class={`dot ${colors[task.status]}`} aria-hidden="true" />
        <span class="task-name">{name}</span>
        <span class="faint">{words[task.status]}</span>
      </button>
      {!isDone && (
        <IconButton
          icon="stop"
          label={`Cancel the task ${name}`}
          onClick={() => void call('cancelTask', { client: id, taskId: task.taskId }).catch(() => undefined)}
        />
      )}
      {task.statusMessage !== undefined && <p class="task-text soft">{task.statusMessage}</p>}
      {isUnanswered && (
        <p class="task-text">
          <Button
            onClick={() => void start(id, { kind: 'task', taskId: task.taskId, ...(tool !== undefined && { tool }) })}
          >
            Answer it
          </Button>
        </p>
      )}
      {!isDone && progress !== undefined && (
        <progress
          aria-label={`Progress of ${name}`}
          value={progress.progress}
          max={progress.total ?? progress.progress * 1.25}
        />
      )}
    </li>
  );
}

const toolOf = ({ request }: RunInfo): string | undefined =>
  request.kind === 'tool' ? request.name : request.kind === 'task' ? request.tool : undefined;
