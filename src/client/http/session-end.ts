/** How a session over HTTP ends: told by this side, or forgotten by the server. */

import type { HttpPort } from './port/port.ts';
import type { HttpLine } from './transport.ts';

/** How long a server may take to hear that a session is over. */
const farewellMs = 2000;
/** How long it may take to say whether it knows a session. */
const trialMs = 5000;

/** Some servers do not let sessions be ended, and one that is gone has none left: whatever comes back is fine. */
export async function farewell({ port, address, deadlines }: HttpLine, headers: Record<string, string>): Promise<void> {
  await statusOf({ port, deadlines }, { method: 'DELETE', address, headers, isBrief: true }, farewellMs);
}

/** Whether the server refuses even a ping of this session. One that says nothing may be busy. */
export async function isForgotten(line: HttpLine, headers: Record<string, string>): Promise<boolean> {
  const { port, address, deadlines } = line;
  const own = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'trial', method: 'ping' });
  const status = await statusOf(
    { port, deadlines },
    { method: 'POST', address, headers: own, body, isBrief: true },
    trialMs,
  );
  return status === 400 || status === 404;
}

/** The status of a response, once it is whole; undefined where none comes in time. */
function statusOf(
  { port, deadlines }: Pick<HttpLine, 'port' | 'deadlines'>,
  request: Parameters<HttpPort['request']>[0],
  ms: number,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    let status: number | undefined;
    const done = (): void => {
      deadlines.cancel(bound);
      resolve(status);
    };
    const head = (told: number): void => {
      status = told;
    };
    const sent = port.request(request, { head, chunk() {}, end: done, broke: done });
    const bound = deadlines.add(ms, () => {
      sent.abort();
      resolve(status);
    });
  });
}
