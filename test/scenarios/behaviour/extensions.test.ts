/** How both sides declare extensions: by identifiers with a prefix, where the revision has them. */
import { connect, createServer, type ProtocolVersion, tool } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

const good = { 'com.example/audit': { level: 2 }, 'io.modelcontextprotocol/ui': {}, 'x/a.b-c_d': {} };
const wrong = [
  'audit',
  'com.example/',
  '/audit',
  'com..example/audit',
  '1com/audit',
  'com.example/-audit',
  'a/b/c',
  '',
];

describe('an extension', () => {
  it.each(wrong)('with the identifier %j is refused by servers and clients [e-schema-18, e-version-05]', async (id) => {
    const extensions = { ...good, [id]: {} };
    expect(() => createServer({ name: 's', version: '1', extensions })).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringContaining(`extensions[${JSON.stringify(id)}]`),
      }),
    );
    const server = createServer({ name: 's', version: '1' });
    await expect(connect(server, { extensions })).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { place: 'extensions' },
    });
  });

  it('without settings is refused by both', async () => {
    const extensions = { 'com.example/audit': true } as never;
    expect(() => createServer({ name: 's', version: '1', extensions })).toThrow(
      expect.objectContaining({ code: 'invalid-definition' }),
    );
    await expect(connect(createServer({ name: 's', version: '1' }), { extensions })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });
});

describe.each(protocolVersions)('extensions at %s', (revision: ProtocolVersion) => {
  const declared = revision === '2026-07-28' ? good : undefined;

  it('are sent to the other side where the revision has them, and only there', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      extensions: good,
      tools: {
        look: tool({}, (_given, { caller }) => JSON.stringify(caller.capabilities.extensions ?? 'none')),
      },
    });
    const options = { protocolVersions: [revision], extensions: good };
    const { client, sent, received } = await connectRecorded(server, options);
    expect(client.capabilities.extensions).toEqual(declared);
    const { content } = await client.request('tools/call', { name: 'look' });
    expect(content).toMatchObject([{ text: JSON.stringify(declared ?? 'none') }]);
    const isSent = JSON.stringify([sent, received]).includes('"extensions"');
    expect(isSent).toBe(declared !== undefined);
    await client.close();
  });
});
