/** A model of LangChain for the guide: asks for the forecast, then repeats what it got. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';

class ForecastModel extends BaseChatModel {
  _llmType(): string {
    return 'fake';
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const [, text] = /"text":"(Sunny[^"]*)"/.exec(JSON.stringify(messages.at(-1)?.content)) ?? [];
    const call = { id: 'call_1', name: 'weather__forecast', args: { city: 'Oslo' } };
    const message = new AIMessage({ content: text ?? '', tool_calls: text === undefined ? [call] : [] });
    return { generations: [{ text: '', message }] };
  }
}

export const model = new ForecastModel({});
