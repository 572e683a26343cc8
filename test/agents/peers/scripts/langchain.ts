/** An agent of LangGraph with a model of LangChain of its own. */
import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { toLangChain } from 'tenon/agents';
import { FakeModel } from './fake-chat-model.ts';
import { abortWhenRunning, createPlay, createStage, report, slow } from './play.ts';

const { kit, samples, close } = createStage();
const tools = await toLangChain(kit, { tool, ToolMessage });
const go = { messages: [{ role: 'user', content: 'Go' }] };
const play = createPlay();
const llm = new FakeModel((result, offered) => [play.next(result, offered)].filter((made) => made !== undefined));
await createReactAgent({ llm, tools }).invoke(go, { recursionLimit: 50 });
const aborted = await abortWhenRunning(samples, (signal) =>
  createReactAgent({ llm: new FakeModel(() => [slow]), tools }).invoke(go, { signal }),
);
report(play, aborted);
await close();
