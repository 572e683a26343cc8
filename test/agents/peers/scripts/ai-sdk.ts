/** The AI SDK with its mock model, with its `toolSearch`, or without if the argument says so. */
import { generateText, isStepCount, toolSearch } from 'ai';
import { toAiSdk } from 'tenon/agents';
import { mockModel } from './mock-model.ts';
import { abortWhenRunning, createPlay, createStage, report, slow } from './play.ts';

const { kit, samples, close } = createStage();
const tools = process.argv[2] === 'plain' ? await toAiSdk(kit) : await toAiSdk(kit, { toolSearch });
const play = createPlay();
await generateText({ model: mockModel(play.next), prompt: 'Go', tools, stopWhen: isStepCount(20) });
const aborted = await abortWhenRunning(samples, (abortSignal) =>
  generateText({ model: mockModel(() => slow), prompt: 'Go', tools, abortSignal }),
);
report(play, aborted);
await close();
