/** A gateway with `search`: callers find tools and call them by name, as if they had all of them in their list. */
import { createServer, type ProtocolVersion, type Server, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GatewayOptions } from '../../src/gateway/types.ts';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { memoryAudit } from '../guard/server/kit.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { openAs, openClient, served, startGateway, textOf } from './start.ts';

const many = Object.fromEntries(
  Array.from({ length: 30 }, (_, n) => [
    `thing_${n}`,
    tool({ description: `Handles the thing ${n}` }, () => `thing ${n}`),
  ]),
);
const issues = (): Server =>
  createServer({
    name: 'issues',
    version: '1.0.0',
    tools: {
      create_issue: tool(
        { description: 'Create a new issue', inputSchema: z.object({ title: z.string() }) },
        ({ title }) => `created ${title}`,
      ),
      remove_issue: tool({ description: 'Remove an issue' }, () => 'removed'),
      confirm: tool({ description: 'Ask whether to publish' }, async (_args, ctx) => {
        const { action } = await ctx.elicit('sure', { message: 'Sure?', schema: z.object({ yes: z.boolean() }) });
        return action;
      }),
    },
  }) as Server;
const things = (): Server => createServer({ name: 'things', version: '1.0.0', tools: many }) as Server;

const start = (more: Omit<GatewayOptions, 'upstreams'> = {}) =>
  startGateway({ git: { server: issues() }, big: { server: things() } }, { search: true, ...more });

describe.each([newestSession.id as ProtocolVersion, exchangeVersion])('Search, by %s', (version) => {
  const options = { protocolVersions: [version] };

  it('lists find_tools, call_tool and what is pinned, and names the others in a directory', async () => {
    const { gateway } = start({ search: { pinned: ['git__create_*'] } });
    const client = await openClient(gateway.server, options);
    const listed = await client.tools.list().all();
    expect(listed.map(({ name }) => name)).toEqual(['find_tools', 'call_tool', 'git__create_issue']);
    expect(listed[0]?.description).toMatch(/\ngit: create_issue, remove_issue, confirm\nbig: thing_0, /);
  });

  it('finds tools with the schemas of their arguments, by words and by names', async () => {
    const { gateway } = start();
    const client = await openClient(gateway.server, options);
    const found = textOf(await client.tools.call('find_tools', { query: 'create an issue', limit: 1 }));
    expect(found).toMatch(/^git__create_issue: Create a new issue\n {2}arguments: \{.*"title"/);
    expect(textOf(await client.tools.call('find_tools', { names: ['thing_7'] }))).toContain('big__thing_7');
    expect(await client.tools.call('find_tools', {})).toMatchObject({ isError: true });
  });

  it('calls what was found: with its arguments, its errors, and its requests', async () => {
    const { gateway } = start();
    const client = await openClient(gateway.server, {
      ...options,
      handlers: { elicitForm: () => ({ action: 'accept', content: { yes: true } }) },
    });
    const call = (name: unknown, args?: unknown) =>
      client.tools.call('call_tool', { name, ...(args !== undefined && { arguments: args }) } as never);
    expect(textOf(await call('git__create_issue', { title: 'a' }))).toBe('created a');
    expect(textOf(await call('git__confirm'))).toBe('accept');
    expect(await call('git__create_issue', {})).toMatchObject({ isError: true });
    for (const name of ['nowhere', 'git__nowhere']) {
      const error = await call(name).catch((thrown) => thrown);
      expect(error).toMatchObject({ message: `Unknown tool: ${name}` });
      expect(error.data).not.toHaveProperty('availableTools');
    }
    for (const [name, args] of [
      ['call_tool', {}],
      [7, {}],
      ['git__confirm', 'text'],
    ])
      expect(textOf(await call(name, args))).toMatch(/^The arguments are not valid\. Write call_tool/);
    // A client that knows the name may as well call the tool itself.
    expect(textOf(await client.tools.call('big__thing_3'))).toBe('thing 3');
  });

  it('shows and calls only what the policy allows, and records and limits the tool that is called', async () => {
    const policy = createPolicy(`version: 1
rules:
  - { id: all, allow: [list, call], to: any, on: { tool: "git__*" } }
  - { id: no-remove, deny: [list, call], to: any, on: { tool: "git__remove_issue" } }
  - { id: ada, allow: [list, call], to: { subject: ada }, on: { tool: "big__*" } }
`);
    const audit = memoryAudit();
    const seen: string[] = [];
    const own = guard({ policy, audit, limits: { perTool: { git__create_issue: { rate: '1/h' } } } });
    const { gateway } = start({
      search: { pinned: ['*'] },
      server: { guard: own, middleware: [(call, next) => (seen.push(call.target), next())] },
    });
    const url = await served(gateway.server);
    const [ada, bob] = [await openAs('ada', url, options), await openAs('bob', url, options)];
    const listed = await bob.tools.list().all();
    expect(listed.map(({ name }) => name)).toEqual(['find_tools', 'call_tool', 'git__create_issue', 'git__confirm']);
    expect(JSON.stringify(listed)).not.toMatch(/remove_issue|thing/);
    const find = async (client: typeof ada, query: string) =>
      textOf(await client.tools.call('find_tools', { query, limit: 20 }));
    expect(await find(ada, 'thing')).toContain('big__thing_1');
    expect(await find(bob, 'thing')).toMatch(/^No tool fits/);
    expect(await find(bob, 'remove issue')).not.toContain('git__remove_issue');
    for (const name of ['git__remove_issue', 'big__thing_1'])
      await expect(bob.tools.call('call_tool', { name, arguments: {} })).rejects.toMatchObject({
        message: `Unknown tool: ${name}`,
      });
    seen.length = 0;
    const args = { name: 'git__create_issue', arguments: { title: 'a' } };
    expect(textOf(await ada.tools.call('call_tool', args))).toBe('created a');
    await expect(ada.tools.call('call_tool', args, { maxTotalTimeoutMs: 300 })).rejects.toMatchObject({
      data: { limit: 'perTool.git__create_issue' },
    });
    expect(seen[0]).toBe('git__create_issue');
    const recorded = JSON.stringify(audit.events);
    expect(recorded).toContain('git__create_issue');
    expect(recorded).not.toContain('call_tool');
  });
});

it('names an upstream whose tools could not be searched', async () => {
  const failing = {
    accept: () => {
      throw new Error('down');
    },
  } as never;
  const { gateway } = startGateway({ git: { server: issues() }, gone: { server: failing } }, { search: true });
  const client = await openClient(gateway.server);
  expect(await client.tools.call('find_tools', { query: 'issue' })).toMatchObject({
    _meta: { 'tenon/unavailable': ['gone'] },
  });
});

it('leaves out tools of upstreams that have the names of its own', async () => {
  const upstream = createServer({ name: 'u', version: '1.0.0', tools: { call_tool: tool({}, () => 'theirs') } });
  const { gateway, warnings } = startGateway({ u: { server: upstream as Server } }, { search: true });
  const client = await openClient(gateway.server);
  expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['find_tools', 'call_tool']);
  expect(warnings.map(({ message }) => message).join()).toContain('call_tool');
});

it.each([
  [{ pinned: 'x' }, 'pinned'],
  [{ pined: [] }, 'pined'],
])('refuses search: %j', (search, text) => {
  expect(() => start({ search: search as never })).toThrow(
    expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
  );
});
