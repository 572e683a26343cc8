/** Tasks as a raw client uses them, in either form of the protocol. */
import type { TaskResult, TaskStatus } from '../../history/task-events.ts';
import { Failed } from '../program.ts';
import type { Message } from '../raw-http.ts';
import type { Question, TaskTool } from './task-server.ts';

/** What a response says about a task. */
export interface SeenTask {
  readonly status: TaskStatus | 'unknown';
  readonly outcome?: string;
  readonly result?: TaskResult;
  readonly open?: readonly string[];
}

export interface OpenQuestion extends Question {
  /** Under which key the server asked it. */
  readonly key: string;
}

/** Decides on an answer; `undefined` leaves the question open. */
export interface Answerer {
  asked(question: OpenQuestion): string | undefined;
  /** An answer was sent; the server may have acknowledged it. */
  answered(question: OpenQuestion, answer: string, isAcknowledged: boolean): void;
}

/** Every method throws where its outcome is unknown; it may be called again. */
export interface TaskWire {
  /** The ID of the new task, or of the one that has this key; `undefined` if the call was answered with its result. */
  create(tool: TaskTool, token: string, key: string | undefined): Promise<string | undefined>;
  read(task: string): Promise<SeenTask>;
  /** Follows a task for a while: answers what it asks. */
  follow(task: string, answerer: Answerer): Promise<SeenTask>;
  /** Whether the server acknowledged it. */
  cancel(task: string): Promise<boolean>;
  /** Absent where the protocol has no list. */
  list?(): Promise<readonly string[]>;
}

const unknownTask = -32602;

/** The result of a response; `undefined` if there is no such task. */
export function resultIn({ result, error }: Message): Message | undefined {
  if (error === undefined) return result as Message;
  if ((error as { code: number }).code === unknownTask) return undefined;
  throw new Failed('refused');
}

/** The outcome of a task by the result of its call: the same text in every form of the protocol. */
export function outcomeIn(result: Message): Pick<SeenTask, 'outcome' | 'result'> {
  const { content, isError } = result as { content?: readonly { text: string }[]; isError?: boolean };
  const text = content?.[0]?.text ?? '';
  return isError === true ? { outcome: text } : { outcome: text, result: JSON.parse(text) as TaskResult };
}

export const questionIn = (key: string, { params }: Message): OpenQuestion => ({
  key,
  ...(JSON.parse((params as { message: string }).message) as Question),
});

export const acceptWith = (answer: string): Message => ({ action: 'accept', content: { answer } });
