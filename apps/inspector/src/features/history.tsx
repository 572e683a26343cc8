/** Earlier runs of an item, of all clients: each can be shown, filled in again, or run again. */
import type { ClientInfo, RunInfo } from '../../../../src/inspector/api.ts';
import { call } from '../api/call.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { shownMs, shownTime, shownValue } from '../controls/format.ts';
import { useOneStop } from '../controls/one-stop.ts';
import { setDraft } from '../state/drafts.ts';
import { showRun, start } from '../state/runs.ts';

interface HistoryProps {
  readonly itemKey: string;
  readonly runs: readonly RunInfo[];
  readonly shown: RunInfo;
  readonly client: ClientInfo;
}

const rowsAtMost = 50;

export function History({ itemKey, runs, shown, client }: HistoryProps) {
  const stop = useOneStop<HTMLOListElement>('button:not(:disabled)');
  const clear = (): void => void call('forget', { runs: runs.map(({ id }) => id) }).catch(() => undefined);
  return (
    <section class="history" aria-label="Earlier runs">
      <div class="pane-bar">
        <h3>History</h3>
        <Button variant="quiet" icon="trash" onClick={clear}>
          Clear
        </Button>
      </div>
      <ol {...stop}>
        {runs.slice(0, rowsAtMost).map((run) => (
          <HistoryRow key={run.id} run={run} isShown={run.id === shown.id} itemKey={itemKey} client={client} />
        ))}
      </ol>
    </section>
  );
}

interface RowProps {
  readonly run: RunInfo;
  readonly isShown: boolean;
  readonly itemKey: string;
  readonly client: ClientInfo;
}

function HistoryRow({ run, isShown, itemKey, client }: RowProps) {
  const given = argumentsOf(run);
  const color =
    run.isError || run.status === 'failed' ? 'bad' : ({ done: 'good', running: 'busy' }[run.status as string] ?? 'off');
  const again = (): void => void start(client.id, run.request);
  return (
    <li class={isShown ? 'here' : undefined}>
      <button
        type="button"
        class="history-row"
        aria-current={isShown ? 'true' : undefined}
        onClick={() => showRun(itemKey, run.id)}
      >
        <span class={`dot ${color}`} role="img" aria-label={run.isError ? 'error' : run.status} />
        <time class="mono faint">{shownTime(run.startedAt)}</time>
        <span class="mono history-arguments">{given === undefined ? '' : shownValue(given, 90)}</span>
        <span class="mono faint history-version">{run.protocolVersion}</span>
        <span class="mono history-ms">{run.ms === undefined ? '' : shownMs(run.ms)}</span>
      </button>
      {given !== undefined && (
        <IconButton icon="edit" label="Fill in these arguments" onClick={() => setDraft(itemKey, { value: given })} />
      )}
      <IconButton icon="reload" label="Run again" onClick={again} isDisabled={client.state !== 'ready'} />
    </li>
  );
}

const argumentsOf = ({ request }: RunInfo): unknown => ('arguments' in request ? request.arguments : undefined);
