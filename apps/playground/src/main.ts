/** Starts the page of the playground: its backend is a worker. */
import { start } from '../../inspector/src/start.tsx';
import { type Messages, workerPort } from './worker-port.ts';

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

worker.addEventListener('error', () => {
  const text = document.createElement('p');
  text.setAttribute('role', 'alert');
  text.textContent = 'The playground could not be started: this browser refuses its worker.';
  document.getElementById('page')?.replaceChildren(text);
});

await start(workerPort(worker as unknown as Messages));
