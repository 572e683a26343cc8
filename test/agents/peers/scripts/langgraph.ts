/** An agent of LangGraph whose calls need a person: it is interrupted, stored and resumed. Its argument is the version of the agent. */
import { ToolMessage } from '@langchain/core/messages';
import { tool as langChainTool } from '@langchain/core/tools';
import { Command, INTERRUPT, interrupt, isInterrupted, MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { createServer, tool } from 'tenon';
import { createToolkit, type InterruptAnswer, type LangGraphInterrupt, toLangChain } from 'tenon/agents';
import { createHost } from 'tenon/host';
import { sampleServers } from '../sample-host.ts';
import { FakeModel } from './fake-chat-model.ts';

const { samples, servers } = sampleServers();
let end: (text: string) => void = () => {};
const ended = new Promise<string>((resolve) => (end = resolve));
const long = tool({ description: 'Takes long', task: 'required' }, () => {
  samples.ran.push('long');
  return ended;
});
const work = createServer({ name: 'work', version: '1.0.0', tools: { long } });
const host = createHost({ servers: { ...servers, work }, elicit: () => ({ action: 'cancel' }) });
const kit = createToolkit(host, { interrupts: 'return' });

const calls = [
  { id: 'call_1', name: 'mail__send', args: { to: 'ada' } },
  { id: 'call_2', name: 'mail__book', args: {} },
  { id: 'call_3', name: 'work__long', args: {} },
];
const agent = createReactAgent({
  llm: new FakeModel((result) => (result === undefined ? calls : [])),
  tools: await toLangChain(kit, { tool: langChainTool, ToolMessage, interrupt }),
  checkpointer: new MemorySaver(),
  version: process.argv[2] === 'v2' ? 'v2' : 'v1',
});
const thread = { configurable: { thread_id: '1' } };

const asked = new Set<string>();
const problems: string[] = [];
function answerTo({ kind, call, requests = {}, problem }: LangGraphInterrupt): InterruptAnswer & { callId: string } {
  if (problem !== undefined) problems.push(problem);
  else if (kind === 'consent' && call.id === 'call_1') return { callId: 'another', decision: 'allow' };
  asked.add(`${kind} for ${call.name}`);
  const callId = call.id;
  if (kind === 'consent') return { callId, decision: 'allow' };
  const answer = { action: 'accept', content: { time: '8 pm' } };
  if (kind === 'elicitation')
    return { callId, answers: Object.fromEntries(Object.keys(requests).map((key) => [key, answer])) };
  end('done at last');
  return { callId, check: true };
}

let state: unknown = await agent.invoke({ messages: [{ role: 'user', content: 'Go' }] }, thread);
while (isInterrupted<LangGraphInterrupt>(state)) {
  const waiting = state[INTERRUPT].flatMap(({ id, value }) => (id && value ? [[id, answerTo(value)] as const] : []));
  await new Promise((resolve) => setImmediate(resolve));
  state = await agent.invoke(new Command({ resume: Object.fromEntries(waiting) }), thread);
}
const { messages } = state as { messages: { content: unknown }[] };
const results = messages.filter((message) => message instanceof ToolMessage).map(({ content }) => content);
const texts = results.map((content) => (content as { text: string }[]).map(({ text }) => text).join(''));
console.log(JSON.stringify({ asked: [...asked].sort(), problems, ran: samples.ran.sort(), texts: texts.sort() }));
await kit.close();
await host.close();
