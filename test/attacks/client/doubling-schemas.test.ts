/** Schemas of a server that double with every level: compared and written as types in time linear in their size. */
import { connect, createServer, tool } from 'tenon';
import { compareSnapshots, createContract, generateTypes, type ServerSnapshot, takeSnapshot } from 'tenon/contract';
import { describe, expect, it } from 'vitest';
import { scriptedServer } from '../../host/scripted-server.ts';

type Join = (below: object) => object;

/** `join` of two references, level above level, over a leaf. */
function doubling(levels: number, join: Join, leaf: object): object {
  const $defs: Record<string, object> = { l0: leaf };
  for (let n = 1; n <= levels; n++) $defs[`l${n}`] = join({ $ref: `#/$defs/l${n - 1}` });
  return { type: 'object', properties: { a: { $ref: `#/$defs/l${levels}` } }, $defs };
}

const alternatives: Join = (below) => ({ anyOf: [below, { ...below }] });
const fields: Join = (below) => ({ type: 'object', properties: { x: below, y: below } });

const plain = { type: 'object', properties: { a: { type: 'string' } } };

const server = createServer({ name: 's', version: '1', tools: { t: tool({}, () => '') } });
const base = await connect(server).then(async (client) => {
  const snapshot = await takeSnapshot(client);
  await client.close();
  return snapshot;
});
const withTools = (schemas: Readonly<Record<string, object>>): ServerSnapshot => ({
  ...base,
  tools: Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }) as never),
});
const withTool = (inputSchema: object): ServerSnapshot => withTools({ t: inputSchema });

describe.each<[string, Join]>([
  ['alternatives', alternatives],
  ['parts', (below) => ({ allOf: [below, { ...below }] })],
  ['fields', fields],
])('a schema of 60 levels of two equal %s [S24]', (_name, join) => {
  it('is the same as its copy', () => {
    const copies = [0, 1].map(() => withTool(doubling(60, join, { type: 'string' })));
    expect(compareSnapshots(copies[0] as ServerSnapshot, copies[1] as ServerSnapshot).changes).toEqual([]);
  });

  it('has a type for each level', () => {
    const text = generateTypes(withTool(doubling(60, join, { type: 'string' })));
    expect(text.length).toBeLessThan(50_000);
    expect(text).toContain('string');
  });
});

it('decides what changes below 60 levels of alternatives [S24]', () => {
  const [before, after] = ['string', 'number'].map((type) => withTool(doubling(60, alternatives, { type })));
  expect(compareSnapshots(before as ServerSnapshot, after as ServerSnapshot)).toMatchObject({ effect: 'breaks' });
});

it('has one budget for all tools: what comes after it is spent is undecided [S24]', () => {
  const heavy = (type: string) =>
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`t${n}`, doubling(40, fields, { type })]));
  const before = withTools({ ...heavy('string'), z: plain });
  const after = withTools({ ...heavy('number'), z: { ...plain, required: ['a'] } });
  const { changes } = compareSnapshots(before, after);
  expect(changes.filter(({ name }) => name === 'z')).toMatchObject([{ effect: 'undecided' }]);
  const alone = compareSnapshots(withTools({ z: plain }), withTools({ z: { ...plain, required: ['a'] } }));
  expect(alone).toMatchObject({ effect: 'breaks' });
});

describe('connect() with the contract of a tool whose schema doubles with each of 60 levels [S24]', () => {
  const serving = (inputSchema: object) =>
    scriptedServer((method) => (method === 'tools/list' ? { tools: [{ name: 't', inputSchema }] } : {}));
  const contractOf = (inputSchema: object) => createContract({ tools: { t: { inputSchema } } });

  it('connects to a server that has the same alternatives in other words', async () => {
    const same = doubling(60, alternatives, { type: 'string' });
    const other = doubling(60, alternatives, { type: 'string', description: 'other words' });
    const client = await connect(serving(other), { contract: contractOf(same) });
    expect(await client.tools.list().all()).toMatchObject([{ name: 't' }]);
    await client.close();
  });

  it.each([
    ['alternatives', alternatives],
    ['fields', fields],
  ])('refuses a server that has other %s', async (_name, join) => {
    const [before, after] = ['string', 'number'].map((type) => doubling(60, join, { type })) as [object, object];
    const connecting = connect(serving(after), { contract: contractOf(before) });
    await expect(connecting).rejects.toMatchObject({ code: 'schema-drift' });
  });
});

it('ends at references that lead to each other [S24]', () => {
  const loop = (title: string) => ({
    ...plain,
    properties: { a: { $ref: '#/$defs/a' } },
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a', title } },
  });
  const { changes } = compareSnapshots(withTool(loop('x')), withTool(loop('y')));
  expect(changes).toMatchObject([{ effect: 'undecided' }]);
  expect(generateTypes(withTool(loop('x')))).toContain('unknown');
});
