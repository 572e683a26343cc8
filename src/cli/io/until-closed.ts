/** Commands that serve run until their client disconnects, or until Ctrl+C. */

import { withMembers } from '../../transport/tapped-transport.ts';
import type { Transport } from '../../transport/transport.ts';
import { usageError } from '../usage-error.ts';
import type { Io } from './io.ts';

/** Resolves at Ctrl+C. */
export const interrupted = ({ signal }: Io): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Serves a transport; resolves when it is closed. Ctrl+C closes it. */
export async function closeOf(transport: Transport, serve: (transport: Transport) => void, io: Io): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    serve(
      withMembers(transport, {
        open: (open) => (listener) =>
          open(
            withMembers(listener, {
              onClose: (own) => (reason) => {
                own(reason);
                resolve();
              },
            }),
          ),
      }),
    );
  });
  void interrupted(io).then(() => transport.close());
  await closed;
  await transport.finished;
}

/** The port in an option; 0 is any free one. */
export function portOf(option: string, text: string): number {
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw usageError(
    `--${option} cannot be ${JSON.stringify(text)}.`,
    'Write a port, such as 3000, or 0 for any free one.',
  );
}
