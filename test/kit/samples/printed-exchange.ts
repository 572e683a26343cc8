/** Plays the client of a printed conversation over a transport, and returns what was exchanged. */
import { withTimeout } from '../with-timeout.ts';
import { isAlone, type PrintedLine } from './printed-conversations.ts';

type Json = Record<string, unknown>;

/** A raw client of a printed server. */
export interface PrintedClient {
  send(message: Json): void | Promise<void>;
  /** The next message of the server that answers or is like a printed one. */
  next(like: Json): Promise<Json>;
  /** Has the server send a notification. */
  cue(message: Json): void;
}

const printedTask = 'task-abc123';

export async function exchanged(lines: readonly PrintedLine[], client: PrintedClient): Promise<Json[]> {
  const messages: Json[] = [];
  let asked: unknown;
  let task = printedTask;
  for (const [at, { from, message }] of lines.entries()) {
    if (from === 'client') {
      const named = JSON.parse(JSON.stringify(message).replace(printedTask, task)) as Json;
      await client.send(message.method === undefined ? { ...named, id: asked } : named);
      messages.push(message);
      continue;
    }
    if (message.method !== undefined && message.id === undefined) {
      if (isAlone(lines, at)) client.cue(message);
    }
    let got = await withTimeout(client.next(message), JSON.stringify(message));
    // The document reads the task in the middle of its run.
    const isLate = (): boolean => {
      const { progress } = (message.result ?? {}) as Json;
      return progress !== undefined && (got.result as Json).progress !== progress;
    };
    while (isLate()) {
      await client.send(JSON.parse(JSON.stringify(lines[at - 1]?.message).replace(printedTask, task)) as Json);
      got = await withTimeout(client.next(message), JSON.stringify(message));
    }
    if (message.method !== undefined) asked = got.id;
    const { taskId = task } = (got.result ?? {}) as { taskId?: string };
    task = taskId;
    messages.push(asPrinted(message, got, task));
  }
  return messages;
}

/** With the names and moments of the document in the place of the server's own: ids of its requests, tasks and times. */
function asPrinted(message: Json, got: Json, task: string): Json {
  const fields = { ...(message.result as Json), ...(message.params as Json) };
  const named = JSON.parse(JSON.stringify(got).replaceAll(task, printedTask), (key, value: unknown) =>
    /^\w+At$/.test(key) && typeof fields[key] === 'string' ? fields[key] : value,
  ) as Json;
  return message.method !== undefined && message.id !== undefined ? { ...named, id: message.id } : named;
}
