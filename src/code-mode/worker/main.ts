/** The program of the thread of one script. `npm run generate` makes a text of it: a thread cannot load what a bundler has moved. */
import { parentPort, workerData } from 'node:worker_threads';
import type * as QuickJs from 'quickjs-emscripten';
import type { FromThread, ThreadData, ToThread } from '../messages.ts';
import { capMemory } from './memory-cap.ts';
import { Sandbox } from './sandbox.ts';

const { engine, maxMemoryBytes } = workerData as ThreadData;
const send = (message: FromThread): void => parentPort?.postMessage(message, []);

const memory = capMemory(maxMemoryBytes);
let sandbox: Sandbox | undefined;

async function start(): Promise<void> {
  const { newQuickJSWASMModule } = require(engine) as typeof QuickJs;
  const loaded = await newQuickJSWASMModule();
  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'start') {
      sandbox = new Sandbox(message, { engine: loaded, memory, maxMemoryBytes, send });
      sandbox.run();
    } else sandbox?.settle(message.call, message.type === 'failed', message.json);
  });
  send({ type: 'ready' });
}

start().catch((error: unknown) => send({ type: 'ended', code: 'script-failed', text: String(error) }));
