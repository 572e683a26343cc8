/** The HTTP port on `fetch`, which every runtime has. */
import type { HttpPort, HttpReceiver, HttpSent } from './port.ts';

/** It has no state, so one serves all connections. */
const fetchPort: HttpPort = {
  request(sent, receiver) {
    const control = new AbortController();
    void run(sent, receiver, control.signal);
    return control;
  },
  async close() {},
};

export const createFetchPort = (): HttpPort => fetchPort;

async function run(
  { method, address, headers, body }: HttpSent,
  receiver: HttpReceiver,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(address.href, {
      method,
      headers: { ...headers },
      redirect: 'manual',
      signal,
      ...(body !== undefined && { body }),
    });
    if (signal.aborted) return;
    receiver.head(response.status, Object.fromEntries(response.headers));
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      if (signal.aborted) return;
      receiver.chunk(part.value);
    }
    if (!signal.aborted) receiver.end();
  } catch (error) {
    if (!signal.aborted) receiver.broke(error);
  }
}
