/** Answers the messages of a page by a backend in the same worker. */
import { apiError } from '../../../src/inspector/api-error.ts';
import type { Backend } from '../../../src/inspector/backend.ts';
import type { FromWorker, Messages, ToWorker } from './worker-port.ts';

/** A worker has one page. */
const caller = { tab: 'page', origin: '' };

/** Calls wait until `opened` is resolved. */
export function serveBackend(backend: Backend, messages: Messages, opened: Promise<unknown>): void {
  const stops = new Map<number, () => void>();
  // The same values as over HTTP.
  const post = (message: FromWorker): void => messages.postMessage(JSON.parse(JSON.stringify(message)), []);
  messages.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    const { id, name, body } = data;
    if (name === 'events') {
      const { after } = body as { readonly after: number };
      stops.set(
        id,
        backend.listen(after, (event) => post({ id, event })),
      );
    } else if (name === 'stop') {
      stops.get(id)?.();
      stops.delete(id);
    } else void answer(id, name, body);
  };

  async function answer(id: number, name: string, body: unknown): Promise<void> {
    try {
      await opened;
      post({ id, answer: { ok: true, result: await backend.call(name, body, caller) } });
    } catch (error) {
      post({ id, answer: { ok: false, error: apiError(error) } });
    }
  }
}
