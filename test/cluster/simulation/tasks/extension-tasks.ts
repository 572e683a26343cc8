/** The tasks extension of 2026-07-28 by hand: every request stands alone, and the client polls. */
import { idempotencyKey } from '../../../../src/protocol/meta-keys.ts';
import { tasksExtension } from '../../../../src/protocol/tasks/extension-tasks.ts';
import type { TaskStatus } from '../../history/task-events.ts';
import { Failed } from '../program.ts';
import { type Message, post } from '../raw-http.ts';
import { acceptWith, outcomeIn, questionIn, resultIn, type SeenTask, type TaskWire } from './task-wire.ts';

const revision = '2026-07-28';
const ownMeta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions: { [tasksExtension]: {} } },
};

interface WholeTask {
  readonly status: TaskStatus;
  readonly inputRequests?: Readonly<Record<string, Message>>;
  readonly result?: Message;
  readonly error?: { readonly message: string };
}

export function extensionTasks(name: string, principal: string): TaskWire {
  let messages = 0;

  async function ask(method: string, about: string, params: Message, meta: Message = {}): Promise<Message> {
    const own = { 'mcp-protocol-version': revision, 'mcp-method': method, 'mcp-name': about };
    const endpoint = { url: `http://${name}.test/mcp`, headers: { authorization: principal, ...own } };
    const id = ++messages;
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...ownMeta, ...meta } } };
    const { status, events } = await post(endpoint, message);
    for await (const { message: received } of events) if (received.id === id) return received;
    // Errors have a status of their own, and a body that is not read here.
    if (status === 400) return { error: { code: -32602 } };
    throw new Failed(`http-${status}`);
  }

  const whole = async (task: string): Promise<WholeTask | undefined> =>
    resultIn(await ask('tasks/get', task, { taskId: task })) as WholeTask | undefined;

  return {
    async create(tool, token, key) {
      const meta = key === undefined ? {} : { [idempotencyKey]: key };
      const made = resultIn(await ask('tools/call', tool, { name: tool, arguments: { token } }, meta));
      if (made === undefined) throw new Failed('refused');
      return made.taskId as string | undefined;
    },
    async read(task) {
      const found = await whole(task);
      return found === undefined ? { status: 'unknown' } : seen(found);
    },
    async follow(task, { asked, answered }) {
      const found = await whole(task);
      if (found === undefined) return { status: 'unknown' };
      for (const [key, request] of Object.entries(found.inputRequests ?? {})) {
        const question = questionIn(key, request);
        const answer = asked(question);
        if (answer === undefined) continue;
        const inputResponses = { [key]: acceptWith(answer) };
        const response = await ask('tasks/update', task, { taskId: task, inputResponses }).catch(() => undefined);
        answered(question, answer, response?.result !== undefined);
      }
      return seen(found);
    },
    async cancel(task) {
      return resultIn(await ask('tasks/cancel', task, { taskId: task })) !== undefined;
    },
  };
}

/** With the status of revisions with sessions, which call a result with an error failed. */
function seen({ status, inputRequests, result, error }: WholeTask): SeenTask {
  const open = inputRequests === undefined ? {} : { open: Object.keys(inputRequests) };
  if (result?.isError === true) return { status: 'failed', ...outcomeIn(result) };
  return { status, ...open, ...(result && outcomeIn(result)), ...(error && { outcome: error.message }) };
}
