/** A model of LangChain that makes given calls. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { Made } from './play.ts';

/** `next` gets the last result and the names of the tools that are offered. Without calls the model is done. */
export class FakeModel extends BaseChatModel {
  readonly #next: (result: unknown, offered: string[]) => readonly Made[];
  #offered: string[] = [];

  constructor(next: (result: unknown, offered: string[]) => readonly Made[]) {
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
    const calls = made.map(({ id, name, args }) => ({ id, name, args }));
    const message = new AIMessage({ content: made.length === 0 ? 'done' : '', tool_calls: calls });
    return { generations: [{ text: '', message }] };
  }
}
