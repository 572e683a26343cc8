/** The tool runner of the SDK of Anthropic with a fake API. */
import Anthropic from '@anthropic-ai/sdk';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { toAnthropic } from 'tenon/agents';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

interface Body {
  readonly messages: ReadonlyArray<{ readonly content: string | ReadonlyArray<{ type: string }> }>;
  readonly tools?: ReadonlyArray<{ name: string }>;
}

/** A client whose API makes the calls of `next`. */
function fakeClient(next: (result: unknown, offered: string[]) => Made | undefined): Anthropic {
  const fetch = async (_url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const { messages, tools = [] } = JSON.parse(String(init?.body)) as Body;
    const last = messages.at(-1)?.content ?? '';
    const result = typeof last === 'string' ? undefined : last.find(({ type }) => type === 'tool_result');
    const made = next(
      result,
      tools.map(({ name }) => name),
    );
    const content =
      made === undefined
        ? [{ type: 'text', text: 'done' }]
        : [{ type: 'tool_use', id: made.id, name: made.name, input: made.args }];
    const stop_reason = made === undefined ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 1, output_tokens: 1 };
    return Response.json({ id: 'm', type: 'message', role: 'assistant', model: 'fake', content, stop_reason, usage });
  };
  return new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 });
}

const { kit, samples, close } = createStage();
const tools = await toAnthropic(kit, { ToolError });
const request = { model: 'fake', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Go' }], tools };
const play = createPlay();
await fakeClient(play.next).beta.messages.toolRunner(request);
const aborted = await abortWhenRunning(samples, async (signal) => {
  await fakeClient(() => slow).beta.messages.toolRunner(request, { signal });
});
report(play, aborted);
await close();
