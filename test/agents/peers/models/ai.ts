/** A model of the AI SDK for the guide: asks for the forecast, then repeats what it got, from the tool or from the user. */
import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export const model: LanguageModel & object = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1);
    const got = JSON.stringify(last?.content);
    const [, forecast] = /(Sunny[^"]*)"/.exec(got) ?? [];
    const text = forecast ?? (last?.role === 'tool' ? `Not yet: ${got}` : undefined);
    const call = { toolCallId: 'call_1', toolName: 'weather__forecast', input: '{"city":"Oslo"}' };
    return text === undefined
      ? {
          content: [{ type: 'tool-call', ...call }],
          finishReason: { unified: 'tool-calls', raw: '' },
          usage,
          warnings: [],
        }
      : { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: '' }, usage, warnings: [] };
  },
});
