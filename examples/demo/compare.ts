/** Makes the same calls under all five revisions and prints how the messages differ. */
import { connect, type ProtocolVersion, RpcError } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { createDemo } from './server.ts';

const demo = await createDemo();

/** Connects at one revision and records every message of the server. */
async function connectRecording(revision: ProtocolVersion) {
  const [near, far] = createMemoryTransports();
  const frames: string[] = [];
  demo.accept({
    get state() {
      return far.state;
    },
    open: (listener) => far.open(listener),
    close: (reason) => far.close(reason),
    send(frame) {
      frames.push(frame);
      far.send(frame);
    },
  });
  const client = await connect(near, {
    protocolVersions: [revision],
    handlers: { elicitForm: () => ({ action: 'accept', content: { people: 2 } }) },
  });
  const opening = frames.splice(0);
  return { client, opening, frames };
}

const calls = {
  'the opening': async () => {},
  'tools/list': async (client) => void (await client.tools.list().all()),
  'tools/call add {"a":2,"b":3}': async (client) => void (await client.tools.call('add', { a: 2, b: 3 })),
  'tools/call weather {"city":"Oslo"}': async (client) => void (await client.tools.call('weather', { city: 'Oslo' })),
  'tools/call weather {"city":5}': async (client) => void (await client.tools.call('weather', { city: 5 })),
  'tools/call book {"city":"Oslo"}, which sends an elicitation': async (client) =>
    void (await client.tools.call('book', { city: 'Oslo' })),
  'resources/read weather://nowhere': async (client) => {
    await client.resources.read('weather://nowhere').catch((error) => {
      if (!(error instanceof RpcError)) throw error;
    });
  },
} satisfies Record<string, (client: Awaited<ReturnType<typeof connectRecording>>['client']) => Promise<void>>;

const connections = new Map(
  await Promise.all(protocolVersions.map(async (id) => [id, await connectRecording(id)] as const)),
);

for (const [title, call] of Object.entries(calls)) {
  console.log(`\n${title}`);
  const answers = new Map<string, ProtocolVersion[]>();
  for (const [id, { client, opening, frames }] of connections) {
    await call(client);
    const sent = (title === 'the opening' ? opening : frames.splice(0)).map((frame) => JSON.parse(frame));
    const text = sent.map((message) => JSON.stringify(message.result ?? message.error ?? message)).join('\n    ');
    answers.set(text, [...(answers.get(text) ?? []), id]);
  }
  for (const [text, ids] of answers) console.log(`  ${ids.join(', ')}\n    ${text}`);
}
for (const { client } of connections.values()) await client.close();
