/** An agent of LangGraph with a model of LangChain of its own. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { toLangChain } from 'tenon/agents';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

class FakeModel extends BaseChatModel {
  readonly #next: (result: unknown, offered: string[]) => Made | undefined;
  #offered: string[] = [];

  constructor(next: (result: unknown, offered: string[]) => Made | undefined) {
    super({});
    this.#next = next;
  }

  _llmType(): string {
    return 'fake';
  }

  override bindTools(tools: ReadonlyArray<unknown>): this {
    this.#offered = tools.map((one) => (one as { name: string }).name);
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const last = messages.at(-1);
    const result = last instanceof ToolMessage ? { content: last.content, status: last.status } : undefined;
    const made = this.#next(result, this.#offered);
    const calls = made === undefined ? [] : [{ id: made.id, name: made.name, args: made.args }];
    const message = new AIMessage({ content: made === undefined ? 'done' : '', tool_calls: calls });
    return { generations: [{ text: '', message }] };
  }
}

const { kit, samples, close } = createStage();
const tools = await toLangChain(kit, { tool, ToolMessage });
const go = { messages: [{ role: 'user', content: 'Go' }] };
const play = createPlay();
await createReactAgent({ llm: new FakeModel(play.next), tools }).invoke(go, { recursionLimit: 50 });
const aborted = await abortWhenRunning(samples, (signal) =>
  createReactAgent({ llm: new FakeModel(() => slow), tools }).invoke(go, { signal }),
);
report(play, aborted);
await close();
