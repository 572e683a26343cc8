/** A caller guesses names to learn of tools that middleware hides from it. */
import { connect, createServer, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';

const tools = { echo: tool({}, () => 'echo'), wipe: tool({}, () => 'wiped') };
const passing: Middleware = (_call, next) => next();

const plain = () => createServer({ name: 'disk', version: '1', tools });
const guarded = () => createServer({ name: 'disk', version: '1', tools }, { middleware: [passing] });
const mounting = () => createServer({ name: 'desk', version: '1', mounts: { disk: guarded() } });

describe.each(protocolVersions)('the error for an unknown tool, under %s', (revision) => {
  const options = { protocolVersions: [revision] };

  it('lists the tools of a server without middleware [S29]', async () => {
    await using client = await connect(plain(), options);
    const data = { availableTools: ['echo', 'wipe'] };
    await expect(client.tools.call('ech' as never)).rejects.toMatchObject({
      code: -32602,
      data,
    });
  });

  it.each([
    ['with middleware', guarded],
    ['that mounts a server with middleware', mounting],
  ])('names no tool of a server %s [S29, S36]', async (_what, create) => {
    await using client = await connect(create(), options);
    const error = await client.tools
      .call('ech' as never)
      .catch((reason: unknown) => reason as { code: number; data: unknown });
    expect(error).toMatchObject({ code: -32602 });
    expect(JSON.stringify((error as { data?: unknown }).data ?? '')).not.toMatch(/echo|wipe|availableTools/);
  });
});
