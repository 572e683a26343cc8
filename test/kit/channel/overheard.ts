/** A client and a server of which every message is overheard. */
import { connect, memoryChannels, type RevisionId, type Server } from 'tenon';
import { filledBy } from '../server-request-modes.ts';
import type { Json } from './raw-connection.ts';

/** A client and a server with everything that passes between them. */
export async function overheard(server: Server, revision: RevisionId, answers: Parameters<typeof connect>[1]) {
  const sent: Json[] = [];
  const received: Json[] = [];
  const [near, far] = memoryChannels();
  server.accept(far);
  const client = await connect(
    {
      get state() {
        return near.state;
      },
      open: (listener) =>
        near.open({
          ...listener,
          frame(text) {
            received.push(JSON.parse(text));
            listener.frame(text);
          },
        }),
      send(text) {
        sent.push(JSON.parse(text));
        near.send(text);
      },
      close: (reason) => near.close(reason),
    },
    { revisions: [revision], ...answers },
  );
  return { client, sent, received };
}

export const sampled = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'hi' } };
export const everything = {
  form: filledBy({}),
  url: () => ({ action: 'accept' as const }),
  sample: () => sampled,
  sampleTools: true,
  roots: [{ uri: 'file:///a' }],
};
