/** The agent with a real model: Anthropic or OpenAI, whichever has a key in the environment. */
import { type Toolkit, toAnthropic, toOpenAI } from 'tenon/agents';

/** The parts of the SDKs that are used here: they are not dependencies of this repository. */
interface Anthropic {
  beta: { messages: { toolRunner(request: object): Promise<{ content: readonly { text?: string }[] }> } };
}
interface OpenAI {
  responses: { create(request: object): Promise<{ id: string; output: readonly unknown[]; output_text: string }> };
}

/** Answers with a real model; `undefined` without a key. */
export function providerOf(
  env: Readonly<Record<string, string | undefined>>,
): ((kit: Toolkit, question: string) => Promise<string>) | undefined {
  if (env.ANTHROPIC_API_KEY !== undefined) return askAnthropic;
  return env.OPENAI_API_KEY === undefined ? undefined : askOpenAI;
}

async function askAnthropic(kit: Toolkit, question: string): Promise<string> {
  const Client = await sdk<new () => Anthropic>('@anthropic-ai/sdk');
  const { content } = await new Client().beta.messages.toolRunner({
    model: 'claude-sonnet-5-5',
    max_tokens: 2000,
    messages: [{ role: 'user', content: question }],
    tools: await toAnthropic(kit),
  });
  return content.map(({ text = '' }) => text).join('\n');
}

async function askOpenAI(kit: Toolkit, question: string): Promise<string> {
  const Client = await sdk<new () => OpenAI>('openai');
  const client = new Client();
  const { tools, run } = await toOpenAI(kit);
  let response = await client.responses.create({ model: 'gpt-5.5', tools, input: question });
  for (let input = await run(response.output); input.length > 0; input = await run(response.output))
    response = await client.responses.create({ model: 'gpt-5.5', tools, input, previous_response_id: response.id });
  return response.output_text;
}

async function sdk<T>(name: string): Promise<T> {
  try {
    return ((await import(name)) as { default: T }).default;
  } catch (cause) {
    throw new Error(`The SDK is not installed. Run: npm install --no-save ${name}`, { cause });
  }
}
