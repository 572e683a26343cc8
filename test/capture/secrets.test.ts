/** Of 40 planted secrets none is in a capture of either side of a connection, 40 look-alikes are, and it replays. */
import { type Client, connect, createServer, type ProtocolVersion, serveHttp, tool } from 'tenon';
import { createCapture, readCapture, replayServer } from 'tenon/capture';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryTransports } from 'tenon/transport';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { lookAlikes, secrets } from './samples.ts';

const server = createServer({
  name: 'reflecting',
  version: '1',
  tools: {
    reflect: tool({ inputSchema: z.looseObject({}), outputSchema: z.looseObject({}) }, (given) => given),
  },
});

/** Each sample stands in the arguments of a call, in its structured content, and in its text. */
async function reflect(client: Client, messages: readonly unknown[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const message of messages) results.push((await client.tools.call('reflect', { message })).content);
  return results;
}

function writing() {
  const lines: string[] = [];
  const { tap, end } = createCapture({ write: (line) => lines.push(line) });
  const text = (): string => {
    end();
    return lines.join('');
  };
  return { tap, text };
}

type Recorded = { readonly text: string; readonly harmless: unknown[] };
type Path = (version: ProtocolVersion) => Promise<Recorded>;

const headers = { authorization: 'Bearer planted-1', 'x-api-key': 'planted-2', cookie: 'sid=planted-3' };

async function use(client: Client): Promise<unknown[]> {
  const harmless = await reflect(
    client,
    lookAlikes.map(([, message]) => message),
  );
  await reflect(
    client,
    secrets.map(([, , message]) => message),
  );
  await client.close();
  return harmless;
}

const paths: Readonly<Record<string, Path>> = {
  async 'of a client in memory'(version) {
    const { tap, text } = writing();
    const harmless = await use((await connect(server, { tap, protocolVersions: [version] })) as never);
    return { harmless, text: text() };
  },
  async 'of a client of HTTP'(version) {
    const { tap, text } = writing();
    const service = await serveHttp(server, { port: 0 });
    const target = { url: `${service.url}?token=planted-4`, headers };
    const harmless = await use(await connect(target, { tap, protocolVersions: [version] }));
    await service.close();
    return { harmless, text: text() };
  },
  async 'of a server over HTTP'(version) {
    const { tap, text } = writing();
    const service = await serveHttp(server, { port: 0, tap });
    const target = { url: `${service.url}?token=planted-4`, headers };
    const harmless = await use(await connect(target, { protocolVersions: [version] }));
    await service.close();
    return { harmless, text: text() };
  },
  async 'of a server over a transport'(version) {
    const { tap, text } = writing();
    const [own, other] = createMemoryTransports();
    server.accept(own, { tap });
    const harmless = await use(await connect(other, { protocolVersions: [version] }));
    return { harmless, text: text() };
  },
};

it('has 40 of each', () => {
  expect(secrets.length).toBeGreaterThanOrEqual(40);
  expect(lookAlikes.length).toBeGreaterThanOrEqual(40);
});

/** Over HTTP, the two lifecycles differ. */
const versionsOf = (path: string): readonly ProtocolVersion[] =>
  path.includes('HTTP') ? ['2025-11-25', '2026-07-28'] : protocolVersions;

it.each(
  Object.entries(paths).flatMap(([path, record]) =>
    versionsOf(path).map((version) => [path, version, record] as const),
  ),
)('the capture %s, at %s, has no secret, all look-alikes, and replays [S31]', async (_, version, record) => {
  const { text, harmless } = await record(version);
  const found = secrets.filter(([, secret]) => text.includes(secret));
  expect(found.map(([name]) => name)).toEqual([]);
  expect(text).not.toContain('planted');
  const client = await connect(replayServer(readCapture(text)), { protocolVersions: [version] });
  const messages = lookAlikes.map(([, message]) => message);
  expect(await reflect(client, messages)).toEqual(harmless);
  await client.close();
});
