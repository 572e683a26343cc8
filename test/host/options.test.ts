/** createHost() rejects invalid options, and the methods of a host reject invalid arguments. */
import { createServer, tool } from 'tenon';
import { createHost } from 'tenon/host';
import { expect, it } from 'vitest';
import { z } from 'zod';

const received: unknown[] = [];
const server = () =>
  createServer({
    name: 's',
    version: '1',
    tools: {
      receive: tool({ inputSchema: z.looseObject({}) }, (given) => {
        received.push(given);
        return 'x';
      }),
    },
  });

it.each<[options: unknown, message: RegExp[]]>([
  [undefined, [/options/, /createHost\(\{ servers/]],
  [null, [/options/, /createHost\(\{ servers/]],
  [{ mcpServers: {} }, [/servers/, /createHost\(\{ servers: config \}\)/]],
  [{ servers: { a: { url: 'x' } } }, [/servers\.a\.url/, /in full/]],
  [{ servers: { a: { httpUrl: 'x' } } }, [/servers\.a\.httpUrl/, /in full/]],
  [{ servers: {}, connectOptions: { timeoutMs: -1 } }, [/connectOptions\.timeoutMs/, /over 0/]],
  [{ servers: {}, connectOptions: { handlers: {} } }, [/connectOptions\.handlers/, /sample, elicit and roots/]],
  [
    { servers: {}, connectOptions: { onWarning: () => {} } },
    [/connectOptions\.onWarning/, /Pass onWarning to createHost/],
  ],
  [{ servers: {}, connectOptions: { timeout: 1 } }, [/connectOptions\.timeout/, /timeoutMs/]],
  [{ servers: {}, onStderr: 'inherit' }, [/onStderr/, /function/]],
  [{ servers: {}, limits: { maxList: 1 } }, [/limits\.maxList/, /maxListed/]],
])('createHost(%j) throws at once, with the place and a hint', (options, message) => {
  let error: unknown;
  try {
    createHost(options as never);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'invalid-argument' });
  for (const part of message) expect((error as Error).message).toMatch(part);
});

it('one error lists all problems of options and servers', () => {
  const options = {
    servers: { a: { url: 'x' }, b: { command: 'x', args: 'y' } },
    connectOptions: { timeoutMs: -1, handlers: {} },
    consent: { tols: () => 'allow' },
  };
  expect(() => createHost(options as never)).toThrow(
    expect.objectContaining({
      code: 'invalid-argument',
      details: {
        places: [
          'consent.tols',
          'connectOptions.handlers',
          'connectOptions.timeoutMs',
          'servers.a.url',
          'servers.b.args',
        ],
      },
    }),
  );
});

it('the result of a connectOptions function is checked as well', async () => {
  await using host = createHost({ servers: { s: server() }, connectOptions: () => ({ handlers: {} }) as never });
  const { errors } = await host.tools.list();
  expect(errors).toMatchObject([{ server: 's', error: { code: 'invalid-argument' } }]);
  expect(errors[0]?.error.message).toContain('connectOptions("s").handlers');
});

it('a name that is not a string is rejected as an invalid argument', async () => {
  await using host = createHost({ servers: { s: server() }, consent: 'allow-all' });
  const refusal = { code: 'invalid-argument', hint: expect.stringContaining('in the lists of the host') };
  await expect(host.tools.call(undefined as never)).rejects.toMatchObject(refusal);
  await expect(host.prompts.get(5 as never)).rejects.toMatchObject(refusal);
  await expect(host.resources.read(null as never)).rejects.toMatchObject(refusal);
});

it('arguments are shown to the hook and sent as JSON, and rejected where they cannot be serialized', async () => {
  const shown: unknown[] = [];
  await using host = createHost({
    servers: { s: server() },
    consent: {
      tool: ({ arguments: given }) => {
        shown.push(given);
        return 'allow';
      },
    },
  });
  received.length = 0;
  await host.tools.call('s__receive', { f() {}, at: new Date(0), count: 1 });
  const expected = [{ at: '1970-01-01T00:00:00.000Z', count: 1 }];
  expect([shown, received]).toEqual([expected, expected]);
  for (const given of [{ big: 1n }, null, 5, []])
    await expect(host.tools.call('s__receive', given as never)).rejects.toMatchObject({
      code: 'invalid-outgoing-message',
    });
  expect(shown).toHaveLength(1);
});

it('mistakes of the caller are no failures of the server', async () => {
  await using host = createHost({ servers: { s: server() }, consent: 'allow-all' });
  await expect(host.tools.call('s__receive', {}, { timeout: 5 } as never)).rejects.toMatchObject({
    code: 'invalid-argument',
  });
  await expect(host.prompts.get('s__x')).rejects.toMatchObject({ code: 'capability-not-supported' });
  await expect(host.tools.call('s__receive', {}, { meta: { 'no key': 1 } })).rejects.toMatchObject({
    code: 'invalid-outgoing-message',
  });
  const [health] = host.health();
  expect(health).toMatchObject({ calls: 3, failures: 0, lastError: undefined });
});
