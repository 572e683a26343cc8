/** Replays a capture as a server: each request of a client gets the recorded messages of the server. */
import { readOptions } from '../../lib/options/read-options.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Transport } from '../../transport/transport.ts';
import type { RequestOutput } from '../http/peer.ts';
import { createHttpSessions } from '../http/sessions.ts';
import { replayOptions } from '../options.table.ts';
import type { ReplayOptions } from '../options.ts';
import type { ReadCapture } from '../read-capture.ts';
import { Faults } from './faults.ts';
import { messagesIn } from './messages-in.ts';
import { Recording } from './recording.ts';
import { Replay, type ReplaySettings } from './replay.ts';

/** A capture as a server: pass it to `connect`, serve a transport with it, or HTTP. */
export interface ReplayServer {
  /**
   * Serves one client. A client that begins a session gets the next recorded session of its protocol version; the last is
   * repeated.
   */
  accept(transport: Transport): void;
  /**
   * Answers an HTTP request, under every protocol version; a path that ends with `/sse` opens HTTP+SSE. On Node,
   * `serveReplay` listens on a port.
   */
  fetch(request: Request): Promise<Response>;
  /** Ends all sessions and streams over HTTP. */
  close(): void;
}

/**
 * Replays a capture as a server.
 *
 * ```ts
 * const client = await connect(replayServer(readCapture(text)));
 * ```
 */
export function replayServer({ events }: ReadCapture, options: ReplayOptions = {}): ReplayServer {
  const { mode, faults, onUnknown } = readOptions('replayServer()', replayOptions, options);
  const settings: ReplaySettings = {
    isExact: mode === 'exact',
    faults: new Faults(faults),
    onUnknown: (method) => onUnknown?.(method),
  };
  const recording = new Recording(events);
  let clients = 0;
  const http = createHttpSessions(() => new Replay(recording, settings, clients++));
  return {
    accept(transport) {
      const replay = new Replay(recording, settings, clients++);
      const output = outputTo(transport);
      transport.open({
        onMessage(text) {
          for (const message of messagesIn(text)) replay.receive(message, output);
        },
        onClose: () => replay.close(),
      });
    },
    fetch: http.fetch,
    close: http.close,
  };
}

/** A connection carries the messages of all requests. */
function outputTo(transport: Transport): RequestOutput {
  const send = (message: Fields): void => {
    if (transport.state === 'open') transport.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  };
  return {
    send,
    notify: send,
    end() {},
    break(text) {
      if (text !== '' && transport.state === 'open') transport.send(text);
      transport.close();
    },
  };
}
