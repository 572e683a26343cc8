/** An agent of Mastra with the mock model of the AI SDK. */
import { Agent } from '@mastra/core/agent';
import { toMastra } from 'tenon/agents';
import { mockModel } from './mock-model.ts';
import { abortWhenRunning, createPlay, createStage, type Made, report, slow } from './play.ts';

const { kit, samples, close } = createStage();
const tools = await toMastra(kit);
const agentOf = (next: (result: unknown, offered: string[]) => Made | undefined) =>
  new Agent({ id: 'sample', name: 'Sample', instructions: 'Go.', model: mockModel(next) as never, tools });
const play = createPlay();
await agentOf(play.next).generate('Go', { maxSteps: 20 });
const aborted = await abortWhenRunning(samples, (abortSignal) => agentOf(() => slow).generate('Go', { abortSignal }));
report(play, aborted);
await close();
process.exit(0);
