/** `fetch` with the trusted authorities of a target and the proxies of the environment, for authorization servers. */
import type * as Undici from 'undici';
import { type DispatcherSettings, Lease } from './dispatchers.ts';

/** Each request holds its dispatcher until its response is read or cancelled: it may outlive the connection of the client. */
export const nodeFetch =
  (undici: typeof Undici, settings: Omit<DispatcherSettings, 'origin'>): typeof fetch =>
  async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const lease = new Lease(undici, { ...settings, origin: new URL(url).origin });
    try {
      const { dispatcher } = lease;
      const response = await undici.fetch(url, { ...(init as Undici.RequestInit), dispatcher });
      const { status, statusText, headers, body } = response;
      if (body === null) await lease.release();
      return new Response(body && released(body as ReadableStream<Uint8Array>, () => lease.release()), {
        status,
        statusText,
        headers: [...headers],
      });
    } catch (error) {
      await lease.release();
      throw error;
    }
  };

/** The same body, with what follows its end. */
function released(
  body: ReadableStream<Uint8Array>,
  release: () => Promise<void>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
      } catch (error) {
        await release();
        throw error;
      }
      controller.close();
      await release();
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await release();
    },
  });
}
