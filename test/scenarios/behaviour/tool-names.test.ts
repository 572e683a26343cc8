import { connect, createServer, prompt, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';

const fine = tool({}, () => 'x');
const make = (name: string) => createServer({ name: 's', version: '1', tools: { [name]: fine } });

describe('the name of a tool', () => {
  it.each(['a', 'A-b_c.9', 'get_User', 'getUser', '0', '_', 'a'.repeat(128)])(
    'may be %j [e-tools-18, s-tools-12]',
    (name) => {
      expect(Object.keys(make(name).features.tools ?? {})).toEqual([name]);
    },
  );

  it.each(['', 'a/b', 'a b', 'ä', 'a\n', 'ａ', 'a:b', 'a'.repeat(129)])(
    'is refused where it is %j, with the path and a hint [e-tools-18, s-tools-12]',
    (name) => {
      const place = expect.stringContaining(`tools[${JSON.stringify(name)}]`);
      const fix = expect.stringContaining('A-Z, a-z, 0-9');
      expect(() => make(name)).toThrow(
        expect.objectContaining({ code: 'invalid-definition', message: place, hint: fix }),
      );
    },
  );

  it('must be valid with the prefix of its mount', () => {
    const inner = make('a'.repeat(128));
    expect(() => createServer({ name: 'o', version: '1', mounts: { p: inner } })).toThrow(
      expect.objectContaining({ code: 'invalid-definition', hint: expect.stringContaining('mount') }),
    );
  });
});

it.each(protocolVersions)('tools whose names differ in case only are two tools at %s', async (revision) => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: { go: tool({}, () => 'small'), Go: tool({}, () => 'large') },
  });
  await using client = await connect(server, { protocolVersions: [revision] });
  expect((await client.tools.call('Go')).content).toMatchObject([{ text: 'large' }]);
  expect((await client.tools.call('go')).content).toMatchObject([{ text: 'small' }]);
});

it('the name of a prompt may contain slashes', () => {
  const server = createServer({ name: 's', version: '1', prompts: { 'code/review': prompt({}, () => 'x') } });
  expect(Object.keys(server.features.prompts ?? {})).toEqual(['code/review']);
});
