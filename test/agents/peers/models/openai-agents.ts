/** A model of the Agents SDK for the guide: asks for the forecast, then repeats what it got. */
import { type Model, type ModelResponse, setTracingDisabled, Usage } from '@openai/agents';

setTracingDisabled(true);

export const model: Model = {
  async getResponse({ input }): Promise<ModelResponse> {
    const [, text] = /"text":"(Sunny[^"]*)"/.exec(JSON.stringify(input)) ?? [];
    const call = { callId: 'call_1', name: 'weather__forecast', arguments: '{"city":"Oslo"}' };
    return {
      usage: new Usage(),
      output:
        text === undefined
          ? [{ type: 'function_call', status: 'completed', ...call }]
          : [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }],
    };
  },
  getStreamedResponse(): never {
    throw new Error('not streamed');
  },
};
