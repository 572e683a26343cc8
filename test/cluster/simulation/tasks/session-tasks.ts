/** Tasks of 2025-11-25 by hand: the client requests them, waits for their results, and is asked meanwhile. */
import { idempotencyKey } from '../../../../src/protocol/meta-keys.ts';
import type { TaskStatus } from '../../history/task-events.ts';
import { Failed } from '../program.ts';
import type { Message } from '../raw-http.ts';
import { type RawSession, RawSessions, responseTo, sendAnswer } from '../raw-session.ts';
import {
  type Answerer,
  acceptWith,
  outcomeIn,
  questionIn,
  resultIn,
  type SeenTask,
  type TaskWire,
} from './task-wire.ts';

const overloaded = -31503;

interface ResponseError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly outcome?: unknown };
}

/** Whether an error is about the request for a result, and says nothing about the task: a step that was lost does. */
const isOfRequest = ({ code, data, message }: ResponseError): boolean =>
  code === overloaded || (data?.outcome !== undefined && !message.includes('during a step'));

const noRequests = { received: async (): Promise<void> => {} };

export function sessionTasks(name: string, principal: string): TaskWire {
  const capabilities = { elicitation: {} };
  const sessions = new RawSessions({ name, principal, revision: '2025-11-25', capabilities });

  async function ask(method: string, params: Message): Promise<Message> {
    return responseTo(await sessions.current(), sessions.message(method, params), noRequests);
  }

  async function read(task: string): Promise<SeenTask> {
    const found = resultIn(await ask('tasks/get', { taskId: task }));
    return { status: found === undefined ? 'unknown' : (found.status as TaskStatus) };
  }

  /** Answers a question that arrives while the client waits for a result. */
  async function received(session: RawSession, { asked, answered }: Answerer, message: Message): Promise<void> {
    if (message.method !== 'elicitation/create') return;
    const question = questionIn(String(message.id), message);
    const answer = asked(question);
    if (answer === undefined) return;
    await sendAnswer(session, { jsonrpc: '2.0', id: message.id, result: acceptWith(answer) });
    // A node has received it, and may be lost before it is stored.
    answered(question, answer, false);
  }

  return {
    async create(tool, token, key) {
      const meta = key === undefined ? {} : { _meta: { [idempotencyKey]: key } };
      const made = resultIn(
        await ask('tools/call', { name: tool, arguments: { token }, task: { ttl: 600_000 }, ...meta }),
      );
      if (made === undefined) throw new Failed('refused');
      return (made.task as { taskId: string }).taskId;
    },
    read,
    async follow(task, answerer) {
      const session = await sessions.current();
      const message = sessions.message('tasks/result', { taskId: task });
      const response = await responseTo(session, message, { received: (more) => received(session, answerer, more) });
      const { error } = response as { error?: ResponseError };
      if (error !== undefined && isOfRequest(error)) throw new Failed('refused');
      const { status } = await read(task);
      if (error === undefined) return { status, ...outcomeIn(response.result as Message) };
      // An error of the task, or of a request about one that there is not.
      return status === 'failed' || status === 'cancelled' ? { status, outcome: error.message } : { status };
    },
    async cancel(task) {
      return resultIn(await ask('tasks/cancel', { taskId: task }))?.status === 'cancelled';
    },
    async list() {
      const listed: string[] = [];
      for (let cursor: unknown; ; ) {
        const page = resultIn(await ask('tasks/list', cursor === undefined ? {} : { cursor }));
        if (page === undefined) throw new Failed('refused');
        listed.push(...(page.tasks as { taskId: string }[]).map(({ taskId }) => taskId));
        cursor = page.nextCursor;
        if (cursor === undefined) return listed;
      }
    },
  };
}
