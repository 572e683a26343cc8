/** Runs: calls of the page, their progress, results, and messages in the timeline. */
import type { Task } from '../../client/api/tasks.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { RunInfo, RunRequest, RunResult } from '../api/runs.ts';
import type { Row } from '../api/timeline.ts';
import { apiError, InspectorError } from '../api-error.ts';
import type { EventLog } from '../event-log.ts';
import { shownName } from '../recordings/row-reader.ts';
import { beginningOf, maxLineChars } from '../stored-text.ts';
import type { InspectedClient } from './inspected-client.ts';
import { type RunProgress, sendRequest, sentAs } from './run-request.ts';
import { storedTask } from './tasks-in-messages.ts';

/**
 * Calls in the history.
 * @limit inspector
 * @beyond the oldest are forgotten
 */
const maxRuns = 500;

/**
 * Calls that run.
 * @limit inspector
 * @beyond the call fails
 * @code too-many
 */
const maxRunning = 100;

/**
 * Characters of all results together.
 * @limit inspector
 * @beyond the oldest results are dropped
 */
const maxResultChars = 64 * 1024 * 1024;

interface Run {
  info: RunInfo;
  readonly abort: AbortController;
  result?: NonNullable<RunResult['result']>;
  resultChars: number;
  /** Its request that waits for a response. A call that needs input is sent once for every round. */
  sentSeq?: number | undefined;
}

export class Runs {
  readonly #runs = new Map<string, Run>();
  readonly #log: EventLog;
  readonly #now: () => number;
  #count = 0;
  #resultChars = 0;

  constructor(log: EventLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** The newest first. */
  get all(): readonly RunInfo[] {
    return [...this.#runs.values()].map(({ info }) => info).reverse();
  }

  /** The runs of a client that wait for a result, the oldest first. */
  runningOf(client: string): readonly string[] {
    const running = [...this.#runs.values()].filter(({ info }) => info.client === client && info.status === 'running');
    return running.map(({ info }) => info.id);
  }

  start(client: InspectedClient, request: RunRequest): RunInfo {
    const running = [...this.#runs.values()].filter(({ info }) => info.status === 'running').length;
    if (running >= maxRunning)
      throw new InspectorError('too-many', `${maxRunning} calls are running.`, 'Wait, or cancel one.');
    const id = `r${++this.#count}`;
    const info: RunInfo = { id, client: client.id, request, status: 'running', startedAt: this.#now() };
    const run: Run = { info, abort: new AbortController(), resultChars: 0 };
    this.#runs.set(id, run);
    this.#dropOldest();
    this.#log.publish({ type: 'run', run: info });
    void this.#follow(run, client);
    return run.info;
  }

  result(id: string): RunResult {
    const { info, result } = this.#get(id);
    return { run: info, ...(result && { result }) };
  }

  cancel(id: string): void {
    this.#get(id).abort.abort(new TenonError('cancelled', 'Cancelled in the inspector.'));
  }

  forget(id: string): void {
    const run = this.#get(id);
    run.abort.abort(new TenonError('cancelled', 'Cancelled in the inspector.'));
    this.#runs.delete(id);
    this.#resultChars -= run.resultChars;
    this.#log.publish({ type: 'run-removed', run: id });
  }

  /** Finds the messages of runs: a client sends its calls in the order in which they were started. `tasks` are those in it. */
  onRow(row: Row, [task]: readonly Task[]): void {
    if (row.kind !== 'message' || row.client === undefined) return;
    for (const run of this.#runs.values()) {
      const { info } = run;
      if (info.status !== 'running' || info.client !== row.client) continue;
      if (row.from === 'server' && row.pair !== undefined && row.pair === run.sentSeq) {
        run.sentSeq = undefined;
        // The client follows the task of every call, also of one that was sent again.
        const isBegun = row.method === 'tools/call' && info.task === undefined && task !== undefined;
        this.#update(run, { responseSeq: row.seq, ...(isBegun && { task: storedTask(task) }) });
        return;
      }
      if (row.type !== 'request' || row.from !== 'client' || run.sentSeq !== undefined) continue;
      const { method, name } = sentAs(info.request);
      // A row has the beginning of a long name.
      if (row.method !== shownName(method) || row.name !== shownName(name)) continue;
      run.sentSeq = row.seq;
      if (info.requestSeq === undefined) this.#update(run, { requestSeq: row.seq });
      return;
    }
  }

  async #follow(run: Run, client: InspectedClient): Promise<void> {
    const progress: RunProgress = {
      signal: run.abort.signal,
      answers: client.handlersFor(() => [run.info.id]),
      onProgress: (progress) => this.#update(run, { progress: storedProgress(progress) }),
      onTask: (task) => {
        client.seenTask(task);
        this.#update(run, { task: storedTask(task) });
      },
    };
    try {
      const result = await sendRequest(client, run.info.request, progress);
      this.#store(run, result);
      const isError = 'isError' in result && result.isError === true;
      this.#end(run, client, { status: 'done', ...(isError && { isError }) });
    } catch (error) {
      const isCancelled = run.abort.signal.aborted;
      this.#end(run, client, { status: isCancelled ? 'cancelled' : 'failed', error: apiError(error) });
    }
  }

  #end(run: Run, client: InspectedClient, change: Partial<RunInfo>): void {
    const { protocolVersion } = client.info;
    const ms = this.#now() - run.info.startedAt;
    this.#update(run, { ...change, ms, ...(protocolVersion !== undefined && { protocolVersion }) });
  }

  #store(run: Run, result: NonNullable<RunResult['result']>): void {
    run.result = result;
    run.resultChars = JSON.stringify(result).length;
    this.#resultChars += run.resultChars;
    for (const other of this.#runs.values()) {
      if (this.#resultChars <= maxResultChars || other === run) break;
      if (other.result === undefined) continue;
      delete other.result;
      this.#resultChars -= other.resultChars;
      other.resultChars = 0;
      this.#update(other, { isForgotten: true });
    }
  }

  #update(run: Run, change: Partial<RunInfo>): void {
    run.info = { ...run.info, ...change };
    if (this.#runs.has(run.info.id)) this.#log.publish({ type: 'run', run: run.info });
  }

  #dropOldest(): void {
    for (const [id, { info }] of this.#runs) {
      if (this.#runs.size <= maxRuns) return;
      if (info.status !== 'running') this.forget(id);
    }
  }

  #get(id: string): Run {
    const found = this.#runs.get(id);
    if (found !== undefined) return found;
    throw new InspectorError('not-found', `There is no run ${JSON.stringify(id)}.`);
  }
}

/** The timeline has a long message whole. */
const storedProgress = ({ message, ...progress }: Progress): Progress =>
  message === undefined ? progress : { ...progress, message: beginningOf(message, maxLineChars) };

type Progress = NonNullable<RunInfo['progress']>;
