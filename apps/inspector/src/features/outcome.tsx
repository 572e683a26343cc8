/** The outcome of an item: its shown run with the result, and the earlier runs. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Task } from '../../../../src/client/api/tasks.ts';
import type { ClientInfo, Question, RunInfo } from '../../../../src/inspector/api.ts';
import { focusQuestion, questionsOf } from '../activity/questions/focus-question.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { shownMs, shownValue } from '../controls/format.ts';
import { Icon, type IconName } from '../controls/icon.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { copiedResult, ResultView, ResultViewSwitch } from '../result/result.tsx';
import { showPane } from '../state/panes.ts';
import { cancel, runsOfKey, shownRun, startErrors, taskIdOf } from '../state/runs.ts';
import { known } from '../state/store.ts';
import { chooseRow, sideView } from '../state/timeline.ts';
import { History } from './history.tsx';

interface OutcomeProps {
  readonly itemKey: string;
  readonly client: ClientInfo;
  /** Shows a run in another form, as its app does. */
  readonly show?: ((run: RunInfo) => ComponentChildren) | undefined;
}

export function Outcome({ itemKey: key, client, show }: OutcomeProps) {
  const runs = runsOfKey(key, client.id);
  const run = shownRun(key, client.id);
  const error = startErrors.value[key];
  const head = useRef<HTMLDivElement>(null);
  const shownBefore = useRef(run?.id);
  // Another run is shown than before: it may be below what is in view.
  useEffect(() => {
    if (run?.id !== shownBefore.current) head.current?.scrollIntoView({ block: 'nearest' });
    shownBefore.current = run?.id;
  }, [run?.id]);
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} />}
      {run !== undefined && (
        <section class="outcome" aria-label="Result" tabIndex={-1}>
          <div ref={head} class="outcome-head">
            <StatusLine run={run} />
            {run.status === 'done' && (
              <div class="outcome-actions">
                <ResultViewSwitch run={run} />
                <CopyButton what="the result" text={copiedResult(run)} />
              </div>
            )}
          </div>
          {show?.(run)}
          <RunBody run={run} />
        </section>
      )}
      {runs.length > 0 && run !== undefined && <History itemKey={key} runs={runs} shown={run} client={client} />}
    </>
  );
}

function RunBody({ run }: { readonly run: RunInfo }) {
  switch (run.status) {
    case 'running':
      return <Running run={run} />;
    case 'failed':
      return run.error === undefined ? null : <ErrorNotice error={run.error} />;
    case 'cancelled':
      return null;
    case 'done':
      return <ResultView key={run.id} run={run} />;
  }
}

const words: Readonly<Record<RunInfo['status'], readonly [IconName, string, string]>> = {
  running: ['reload', 'busy', 'Running'],
  done: ['check', 'good', 'Done'],
  failed: ['warning', 'bad', 'Failed'],
  cancelled: ['close', 'off', 'Cancelled'],
};

function StatusLine({ run }: { readonly run: RunInfo }) {
  const [icon, color, text] = run.isError
    ? (['warning', 'bad', 'The tool reports an error'] as const)
    : words[run.status];
  const { ms, protocolVersion, requestSeq } = run;
  const task = taskOf(run);
  return (
    <p class="status-line" role="status">
      <span class={`status ${color}`}>
        <Icon name={icon} />
        {text}
      </span>
      {ms !== undefined && <span class="mono">{shownMs(ms)}</span>}
      {protocolVersion !== undefined && <span class="mono faint">{protocolVersion}</span>}
      {task !== undefined && <span class="chip">task {task.status}</span>}
      {requestSeq !== undefined && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            sideView.value = 'message';
            chooseRow(requestSeq);
            showPane('timeline');
          }}
        >
          Show in the timeline
        </button>
      )}
    </p>
  );
}

const taskOf = (run: RunInfo): Task | undefined =>
  known.value.tasks.find((each) => each.task.taskId === taskIdOf(run))?.task;

function Running({ run }: { readonly run: RunInfo }) {
  const { progress } = run;
  const message = progress?.message ?? taskOf(run)?.statusMessage;
  const [question, ...others] = questionsOf(run);
  return (
    <div class="running">
      {question === undefined ? (
        <>
          <progress
            aria-label="Progress"
            value={progress?.progress}
            max={progress === undefined ? undefined : (progress.total ?? Math.max(progress.progress * 1.25, 1))}
          />
          {message !== undefined && <p class="soft">{message}</p>}
        </>
      ) : (
        <Asked question={question} others={others.length} />
      )}
      <div class="run-bar">
        {question !== undefined && (
          <Button variant="primary" keys="Alt A" onClick={() => focusQuestion(question)}>
            Answer it
          </Button>
        )}
        <Button
          icon="stop"
          onClick={() => {
            // The button disappears with the run: the focus stays with its result.
            document.querySelector<HTMLElement>('.outcome')?.focus();
            void cancel(run.id);
          }}
        >
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** The question that a run waits for. */
function Asked({ question, others }: { readonly question: Question; readonly others: number }) {
  const more = [
    ...(question.runs.length > 1 ? ['It may be for another call that is running.'] : []),
    ...(others > 0 ? [`${others} more ${others === 1 ? 'question waits' : 'questions wait'}.`] : []),
  ];
  return (
    <div class="asked">
      <p>
        <Icon name="prompts" /> {askedText(question)}
      </p>
      {more.length > 0 && <p class="soft">{more.join(' ')}</p>}
    </div>
  );
}

function askedText(question: Question): string {
  if (question.kind === 'form' || question.kind === 'url') return shownValue(question.request.message, 200);
  return question.kind === 'sampling'
    ? 'The server asks for a message of the model.'
    : 'The server requires a sign-in.';
}
