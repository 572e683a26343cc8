/** Helpers for targets that cannot be connected to. */

import type { AddressInfo, Server } from 'node:net';
import { connect, type TenonError } from 'tenon';
import { onTestFinished } from 'vitest';
import { withTimeout } from '../../kit/with-timeout.ts';

type Connect = Parameters<typeof connect>;

export async function failureOf(target: Connect[0], options: Connect[1] = {}): Promise<TenonError> {
  const attempt = connect(target, { reconnect: false, ...options }).then(
    (client) => client.close().then(() => new Error('It connected.')),
    (error) => error,
  );
  return (await withTimeout(attempt, 'connecting to fail')) as TenonError;
}

/** Listens until the test has finished. Returns the port. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
