/** The mock model of the AI SDK, which Mastra takes too: makes the calls of a play. */
import { MockLanguageModelV4 } from 'ai/test';
import type { Made } from './play.ts';

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** `next` gets the last result, and the names of the tools that are offered. */
export const mockModel = (next: (result: unknown, offered: string[]) => Made | undefined): MockLanguageModelV4 =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt, tools = [] }): Promise<Generated> => {
      const last = prompt.at(-1);
      const made = next(
        last?.role === 'tool' ? last.content.at(-1) : undefined,
        tools.map(({ name }) => name),
      );
      const end = (content: Generated['content'], reason: 'stop' | 'tool-calls'): Generated => ({
        content,
        finishReason: { unified: reason, raw: reason },
        usage,
        warnings: [],
      });
      if (made === undefined) return end([{ type: 'text', text: 'done' }], 'stop');
      const { id, name, args } = made;
      return end([{ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) }], 'tool-calls');
    },
  });
