/** Who answers: Anthropic or OpenAI, whichever has a key in the environment, else a script without a network. */
import { type Toolkit, toAnthropic, toOpenAI } from 'tenon/agents';
import { type Model, runAgent } from './agent.ts';

export type Answer = (kit: Toolkit, question: string) => Promise<string>;

export function chooseModel(env: Readonly<Record<string, string | undefined>>): Answer {
  if (env.ANTHROPIC_API_KEY !== undefined) return askAnthropic;
  if (env.OPENAI_API_KEY !== undefined) return askOpenAI;
  return (kit, question) => runAgent(kit, scriptedModel, question);
}

/** Asks for the forecast of the city that the question names, and repeats it. */
export const scriptedModel: Model = async ({ question, outcomes: [outcome] }) => {
  const [, city = 'Oslo'] = /\bin ([A-Z]\w*)/.exec(question) ?? [];
  if (outcome === undefined) return { calls: [{ id: 'call-1', name: 'weather__forecast', arguments: { city } }] };
  return { answer: outcome.type === 'result' ? outcome.text : 'The call waits for a person.' };
};

/** The parts of the SDKs that are used here. */
interface Anthropic {
  beta: { messages: { toolRunner(request: object): Promise<{ content: readonly { text?: string }[] }> } };
}
interface OpenAI {
  responses: { create(request: object): Promise<{ id: string; output: readonly unknown[]; output_text: string }> };
}

const askAnthropic: Answer = async (kit, question) => {
  const Client = await sdk<new () => Anthropic>('@anthropic-ai/sdk');
  const { content } = await new Client().beta.messages.toolRunner({
    model: 'claude-sonnet-5-5',
    max_tokens: 2000,
    system: (await kit.list()).instructions,
    messages: [{ role: 'user', content: question }],
    tools: await toAnthropic(kit),
  });
  return content.map(({ text = '' }) => text).join('\n');
};

const askOpenAI: Answer = async (kit, question) => {
  const client = new (await sdk<new () => OpenAI>('openai'))();
  const { instructions } = await kit.list();
  const { tools, run } = await toOpenAI(kit);
  const model = 'gpt-5.5';
  let response = await client.responses.create({ model, instructions, tools, input: question });
  for (let input = await run(response.output); input.length > 0; input = await run(response.output))
    response = await client.responses.create({ model, instructions, tools, input, previous_response_id: response.id });
  return response.output_text;
};

async function sdk<T>(name: string): Promise<T> {
  try {
    return ((await import(name)) as { default: T }).default;
  } catch (cause) {
    throw new Error(`The SDK is not installed. Run: npm install ${name}`, { cause });
  }
}
