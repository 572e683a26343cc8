/** `tasks/create` as a call of a tool: read as `tools/call` that asks for a task, and answered by the task alone. */
import { accepted, refused, writeResultShape } from '../checking.ts';
import type { Incoming, Reading } from '../neutral.ts';
import type { Wire } from '../revision.ts';

const create = 'tasks/create';

/** The wire of a session in which `tasks/create` begins every task, and a call of a tool none. */
export const createdByCall = (wire: Wire): Wire => ({
  ...wire,
  readRequest(revision, from, method, params) {
    const read = wire.readRequest(revision, from, method, params);
    if (!read.ok || from !== 'client') return read;
    if (method === create) return asToolCall(read.value);
    return method === 'tools/call' && read.value.params.task !== undefined ? withoutTask(read.value) : read;
  },
  writeResult(revision, asker, method, outcome, by) {
    if (method !== create || asker !== 'client') return wire.writeResult(revision, asker, method, outcome, by);
    if (outcome.resultType === 'task') return writeResultShape(revision, asker, method, outcome.task);
    return refused('internal-error', `${create} can be answered only by a task, or by an error`);
  },
});

function asToolCall({ params, ...call }: Incoming): Reading<Incoming> {
  const { name, description, parameters, _meta } = params;
  const args = parameters === undefined ? {} : { arguments: parameters };
  const task = description === undefined ? {} : { description };
  const meta = _meta === undefined ? {} : { _meta };
  return accepted({ ...call, method: 'tools/call', params: { name, ...args, task, ...meta } });
}

function withoutTask({ params, ...call }: Incoming): Reading<Incoming> {
  const { task: _, ...rest } = params;
  return accepted({ ...call, params: rest });
}
