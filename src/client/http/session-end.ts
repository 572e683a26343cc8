/** How a session over HTTP ends: deleted by the client, or dropped by the server. */

import type { HttpPort } from './port/port.ts';
import type { HttpContext } from './transport.ts';

/** How long the DELETE may take. */
const endTimeoutMs = 2000;
/** How long the check may take. */
const checkTimeoutMs = 5000;

/** The response does not matter: some servers reject DELETE, and a stopped one has no session. */
export async function endSession(
  { port, address, deadlines }: HttpContext,
  headers: Record<string, string>,
): Promise<void> {
  await statusOf({ port, deadlines }, { method: 'DELETE', address, headers, isBrief: true }, endTimeoutMs);
}

/** Whether the server rejects even a ping in this session. One that does not answer may be busy. */
export async function isSessionForgotten(context: HttpContext, headers: Record<string, string>): Promise<boolean> {
  const { port, address, deadlines } = context;
  const own = { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'trial', method: 'ping' });
  const status = await statusOf(
    { port, deadlines },
    { method: 'POST', address, headers: own, body, isBrief: true },
    checkTimeoutMs,
  );
  return status === 400 || status === 404;
}

/** The status of a complete response; undefined if none arrives in time. */
function statusOf(
  { port, deadlines }: Pick<HttpContext, 'port' | 'deadlines'>,
  request: Parameters<HttpPort['request']>[0],
  ms: number,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    let status: number | undefined;
    const done = (): void => {
      deadlines.cancel(deadline);
      resolve(status);
    };
    const head = (received: number): void => {
      status = received;
    };
    const sent = port.request(request, { head, chunk() {}, end: done, broke: done });
    const deadline = deadlines.add(ms, () => {
      sent.abort();
      resolve(status);
    });
  });
}
