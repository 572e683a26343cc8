/** Lists and templates of a server without end: compared with those of a snapshot in time linear in their length. */
import { compareSnapshots, type ServerSnapshot } from 'tenon/contract';
import { LATEST_PROTOCOL_VERSION } from 'tenon/protocol';
import { expect, it } from 'vitest';

const nothing: ServerSnapshot = {
  snapshot: 1,
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
};
const many = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));
const template = (uriTemplate: string) => ({ name: 'x', uriTemplate });

it('a template with a name of a million letters is compared at once [S24]', () => {
  const before = { ...nothing, templates: [template('a://{b}')] };
  const after = { ...nothing, templates: [template(`a://{${'a'.repeat(1_000_000)}!}`), template('a://{c}')] };
  expect(compareSnapshots(before, after).changes).toMatchObject([
    { effect: 'breaks', text: 'Its variables have other names now: `a://{c}`.' },
    { effect: 'safe', text: 'It was added.' },
  ]);
});

it('a template with a million modifiers is compared at once [S24]', () => {
  const uri = `a://{b${':'.repeat(1_000_000)}\n}`;
  const before = { ...nothing, templates: [template(uri)] };
  const after = { ...nothing, templates: [template(uri.replace('b', 'c'))] };
  expect(compareSnapshots(before, after).changes).toMatchObject([{ effect: 'breaks' }]);
});

it('20,000 tools that were replaced by as many others are compared at once [S24]', () => {
  const inputSchema = (n: number) => ({ type: 'object' as const, properties: { [`p${n}`]: { type: 'string' } } });
  const before = { ...nothing, tools: many(20_000, (n) => ({ name: `a${n}`, inputSchema: inputSchema(n) })) };
  const after = { ...nothing, tools: many(20_000, (n) => ({ name: `b${n}`, inputSchema: inputSchema(n + 1) })) };
  const { changes } = compareSnapshots(before, after);
  expect(changes).toHaveLength(40_000);
  expect(changes[1]).toMatchObject({ name: 'a1', effect: 'breaks', text: 'It was removed; `b0` is the same.' });
});

it('2,000 resources that were removed are looked for in the first of 50,000 templates only [S24]', () => {
  const before = { ...nothing, resources: many(2000, (n) => ({ name: 'x', uri: `a://${n}` })) };
  const after = { ...nothing, templates: many(50_000, (n) => template(`b${n}://{c}`)) };
  const { changes } = compareSnapshots(before, after);
  expect(changes.filter(({ effect }) => effect === 'breaks')).toHaveLength(2000);
});
