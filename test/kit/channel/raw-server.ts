/** A server written by hand: what it hears is kept, what it says is what the test says. */
import { type Channel, memoryChannels } from 'tenon';

export type Json = Record<string, unknown>;
export type Say = (message: unknown) => void;
/** How one message is answered. */
export type Script = (message: Json, say: Say) => void;

export interface RawServer {
  /** The client's end. */
  readonly channel: Channel;
  readonly heard: Json[];
  /** Methods that were heard, in order. */
  methods(): unknown[];
  say: Say;
  /** Resolves when the client has gone. */
  readonly left: Promise<void>;
  leave(): void;
}

export function rawServer(script: Script): RawServer {
  const [channel, own] = memoryChannels();
  const heard: Json[] = [];
  const say: Say = (message) => own.send(typeof message === 'string' ? message : JSON.stringify(message));
  const left = new Promise<void>((resolve) => {
    own.open({
      frame(text) {
        const message = JSON.parse(text) as Json;
        heard.push(message);
        script(message, say);
      },
      closed: () => resolve(),
    });
  });
  return { channel, heard, methods: () => heard.map(({ method }) => method), say, left, leave: () => own.close() };
}

export const result = ({ id }: Json, result: unknown): Json => ({ jsonrpc: '2.0', id, result });
export const error = ({ id }: Json, code: number, data?: unknown): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: `refused with ${code}`, ...(data !== undefined && { data }) },
});

export interface Greeting {
  /** What it answers to a handshake; the revision asked for where it is absent. */
  readonly revision?: string;
  readonly capabilities?: Json;
}

/** Shakes hands in the way of a session, and leaves everything else to `rest`. */
export const session =
  ({ revision, capabilities = {} }: Greeting, rest: Script): Script =>
  (message, say) => {
    if (message.method !== 'initialize') return rest(message, say);
    const protocolVersion = revision ?? (message.params as Json).protocolVersion;
    say(result(message, { protocolVersion, capabilities, serverInfo: { name: 'raw', version: '1' } }));
  };

/** A session that answers nothing else. */
export const mute: Script = () => {};
