/** Loops with the SDK of OpenAI and a fake API: the Responses API, also with its tool search, or Chat Completions. */
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Response as OpenAIResponse, ResponseInput } from 'openai/resources/responses/responses';
import { toOpenAI } from 'tenon/agents';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

interface Body {
  readonly input?: readonly unknown[];
  readonly messages?: readonly unknown[];
  readonly tools?: ReadonlyArray<{ type: string; name?: string; function?: { name: string } }>;
}

type Next = (result: unknown, offered: string[]) => Made | undefined;

function fakeClient(next: Next): OpenAI {
  const fetch = async (url: unknown, init?: { body?: unknown }): Promise<Response> => {
    const { input, messages, tools = [] } = JSON.parse(String(init?.body)) as Body;
    const isChat = String(url).endsWith('/chat/completions');
    const last = (isChat ? messages : input)?.at(-1);
    const made = next(
      last,
      tools.map((tool) => tool.function?.name ?? tool.name ?? tool.type),
    );
    const args = JSON.stringify(made?.args);
    if (made?.name === 'find_tools' && tools.some(({ type }) => type === 'tool_search')) {
      const search = { id: `ts_${made.id}`, type: 'tool_search_call', execution: 'client', status: 'completed' };
      return Response.json({
        id: 'r',
        object: 'response',
        output: [{ ...search, call_id: made.id, arguments: made.args }],
      });
    }
    if (!isChat) {
      const call = made && { type: 'function_call', call_id: made.id, name: made.name, arguments: args };
      const text = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
      return Response.json({ id: 'r', object: 'response', output: [call ?? text] });
    }
    const call = made && { id: made.id, type: 'function', function: { name: made.name, arguments: args } };
    const message = { role: 'assistant', content: call ? null : 'done', ...(call && { tool_calls: [call] }) };
    return Response.json({ id: 'c', object: 'chat.completion', choices: [{ index: 0, message }] });
  };
  return new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 });
}

const { kit, samples, close } = createStage();
const isNative = process.argv[2] === 'native';

async function responses(next: Next, signal?: AbortSignal): Promise<void> {
  const client = fakeClient(next);
  const { tools, run } = await (isNative ? toOpenAI(kit, { found: 'native' }) : toOpenAI(kit));
  let input: ResponseInput = [{ role: 'user', content: 'Go' }];
  let previous: string | null = null;
  while (input.length > 0) {
    const request = { model: 'fake', input, tools, previous_response_id: previous };
    const response: OpenAIResponse = await client.responses.create(request);
    input = await run(response.output, signal && { signal });
    previous = response.id;
  }
}

async function chat(next: Next, signal?: AbortSignal): Promise<void> {
  const client = fakeClient(next);
  const { tools, run } = await toOpenAI(kit, { api: 'chat', strict: true });
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go' }];
  for (;;) {
    const { choices } = await client.chat.completions.create({ model: 'fake', messages, tools });
    const message = choices[0]?.message;
    const outputs = await run(message?.tool_calls, signal && { signal });
    if (message === undefined || outputs.length === 0) return;
    messages.push(message, ...outputs);
  }
}

const loop = process.argv[2] === 'chat' ? chat : responses;
const play = createPlay();
await loop(play.next);
const aborted = await abortWhenRunning(samples, (signal) => loop(() => slow, signal));
report(play, aborted);
await close();
