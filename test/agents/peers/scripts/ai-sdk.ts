/** The AI SDK with its mock model, with its `toolSearch`, or without if the argument says so. */
import { generateText, isStepCount, toolSearch } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { toAiSdk } from 'tenon/agents';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
const usage = { inputTokens: count, outputTokens: { total: 1, text: 1, reasoning: 0 } };

const fakeModel = (next: (result: unknown, offered: string[]) => Made | undefined) =>
  new MockLanguageModelV4({
    doGenerate: async ({ prompt, tools = [] }) => {
      const last = prompt.at(-1);
      const result = last?.role === 'tool' ? last.content[0] : undefined;
      const made = next(
        result,
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
const tools = process.argv[2] === 'plain' ? await toAiSdk(kit) : await toAiSdk(kit, { toolSearch });
const play = createPlay();
await generateText({ model: fakeModel(play.next), prompt: 'Go', tools, stopWhen: isStepCount(20) });
const aborted = await abortWhenRunning(samples, (abortSignal) =>
  generateText({ model: fakeModel(() => slow), prompt: 'Go', tools, abortSignal }),
);
report(play, aborted);
await close();
