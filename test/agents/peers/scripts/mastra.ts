/** An agent of Mastra with the mock model of the AI SDK. */
import { Agent } from '@mastra/core/agent';
import { MockLanguageModelV4 } from 'ai/test';
import { toMastra } from 'tenon/agents';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

type Generated = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const fakeModel = (next: (result: unknown, offered: string[]) => Made | undefined) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt, tools = [] }): Promise<Generated> => {
      const last = prompt.at(-1);
      const made = next(
        last?.role === 'tool' ? last.content.at(-1) : undefined,
        tools.map(({ name }) => name),
      );
      if (made === undefined)
        return {
          content: [{ type: 'text', text: 'done' }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage,
          warnings: [],
        };
      const call = {
        type: 'tool-call' as const,
        toolCallId: made.id,
        toolName: made.name,
        input: JSON.stringify(made.args),
      };
      return { content: [call], finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage, warnings: [] };
    },
  });

const { kit, samples, close } = createStage();
const tools = await toMastra(kit);
const agentOf = (next: (result: unknown, offered: string[]) => Made | undefined) =>
  new Agent({ id: 'sample', name: 'Sample', instructions: 'Go.', model: fakeModel(next) as never, tools });
const play = createPlay();
await agentOf(play.next).generate('Go', { maxSteps: 20 });
const aborted = await abortWhenRunning(samples, (abortSignal) => agentOf(() => slow).generate('Go', { abortSignal }));
report(play, aborted);
await close();
process.exit(0);
