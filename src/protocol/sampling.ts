/** The sampling request: its method, and the rules for tool use in its messages. */

import type { Fields } from '../lib/values/is.ts';
import { isRecord } from '../lib/values/is.ts';

/** A request of the server. One founding document has it sent by the client. */
export const samplingMethod = 'sampling/createMessage';

/** The first message that breaks the rules: tool results are alone in a message, and answer every tool use of the message before. */
export function samplingProblem({ messages }: Fields): string | undefined {
  if (!Array.isArray(messages)) return undefined;
  let open: ReadonlySet<unknown> = new Set();
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const found = blocks.filter(({ type }) => type === 'tool_result').map(({ toolUseId }) => toolUseId);
    if (found.length > 0 && found.length < blocks.length)
      return `messages[${at}] mixes tool results with other content`;
    const results = new Set(found);
    for (const id of results) if (!open.has(id)) return `messages[${at}] has a result for no tool use before it`;
    for (const id of open) if (!results.has(id)) return `messages[${at}] lacks the result of a tool use before it`;
    open = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  }
  return open.size === 0 ? undefined : `messages[${messages.length}] lacks the results of the tool uses before it`;
}

function blocksOf(message: unknown): Fields[] {
  if (!isRecord(message)) return [];
  const { content } = message;
  return (Array.isArray(content) ? content : [content]).filter((block): block is Fields => isRecord(block));
}
