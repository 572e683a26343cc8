/** The tools of one upstream that run as tasks, and the tasks that are followed here. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { isRecord } from '../../lib/values/is.ts';
import { tasksExtension } from '../../protocol/tasks/extension-tasks.ts';
import { compileTask } from '../../server/features/task.ts';
import type { CompiledTask } from '../../server/ports/call-limits.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** Tools of one upstream, so that it cannot fill the memory. */
const maxLearned = 10_000;

export class UpstreamTasks {
  /** A process that has the upstream can run its tasks. */
  readonly kind: string;
  readonly #task: CompiledTask;
  /** Tools that have refused a call which was no task, where lists do not say so. By their names at the upstream. */
  readonly #learned = new Set<string>();
  readonly #onLearned: () => void;
  /** What is followed here, by the IDs of our calls. */
  readonly #followed = new Map<string, UpstreamCall>();
  isOffered = false;

  constructor(upstream: string, onLearned: () => void) {
    this.kind = `upstream:${upstream}`;
    this.#task = { ...(compileTask(upstream, 'optional') as CompiledTask), kind: this.kind };
    this.#onLearned = onLearned;
  }

  /** How calls of a tool run as tasks; `undefined` if they do not. Callers may also call it plainly, and wait. */
  compiled(tool: string, execution: unknown): CompiledTask | undefined {
    const isTask = (isRecord(execution) && execution.taskSupport === 'required') || this.#learned.has(tool);
    if (isTask) this.isOffered = true;
    return isTask ? this.#task : undefined;
  }

  /** A tool has refused a call that was no task. */
  learn(tool: string): void {
    if (this.#learned.has(tool) || this.#learned.size >= maxLearned) return;
    this.#learned.add(tool);
    this.#onLearned();
  }

  has(callId: string): boolean {
    return this.#followed.has(callId);
  }

  follow(callId: string, call: UpstreamCall): void {
    this.#followed.set(callId, call);
  }

  left(callId: string, call: UpstreamCall): void {
    if (this.#followed.get(callId) === call) this.#followed.delete(callId);
  }

  /** The task of the caller was cancelled, or has expired. */
  ended(callId: string): void {
    this.#followed.get(callId)?.ended('The task of the caller is over.');
    this.#followed.delete(callId);
  }
}

/** Whether a tool has refused a call since it only runs as a task: nothing has run. */
export function needsTask(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.reason !== 'missing-client-capability' || !isRecord(error.data))
    return false;
  const { requiredCapabilities } = error.data;
  const extensions = isRecord(requiredCapabilities) ? requiredCapabilities.extensions : undefined;
  return isRecord(extensions) && tasksExtension in extensions;
}
