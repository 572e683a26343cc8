/** The Agents SDK of OpenAI with a model of its own. */
import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  run,
  setTracingDisabled,
  Usage,
} from '@openai/agents';
import { toOpenAIAgents } from 'tenon/agents';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

setTracingDisabled(true);

class FakeModel implements Model {
  readonly #next: (result: unknown, offered: string[]) => Made | undefined;

  constructor(next: (result: unknown, offered: string[]) => Made | undefined) {
    this.#next = next;
  }

  async getResponse({ input, tools }: ModelRequest): Promise<ModelResponse> {
    const last = typeof input === 'string' ? undefined : input.at(-1);
    const offered = tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : []));
    const made = this.#next(last, offered);
    const usage = new Usage();
    if (made === undefined) {
      const content = [{ type: 'output_text' as const, text: 'done' }];
      return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] };
    }
    const { id, name, args } = made;
    const call = { type: 'function_call' as const, callId: id, name, status: 'completed' as const };
    return { usage, output: [{ ...call, arguments: JSON.stringify(args) }] };
  }

  getStreamedResponse(): never {
    throw new Error('not streamed');
  }
}

const { kit, samples, close } = createStage();
const agentOf = (next: (result: unknown, offered: string[]) => Made | undefined) =>
  new Agent({ name: 'Sample', model: new FakeModel(next), mcpServers: [toOpenAIAgents(kit)] });
const play = createPlay();
await run(agentOf(play.next), 'Go', { maxTurns: 20 });
const aborted = await abortWhenRunning(samples, (signal) =>
  run(
    agentOf(() => slow),
    'Go',
    { signal },
  ),
);
report(play, aborted);
await close();
