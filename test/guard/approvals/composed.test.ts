/** Approvals of tools that a server has from elsewhere: of a bridged server, and of one that is mounted; and of calls that reach two nodes. */
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { connect, createServer, serveHttp, tool, toText } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { fromOfficial } from 'tenon/official';
import { protocolVersions } from 'tenon/protocol';
import { createMemoryStore } from 'tenon/store';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openClient } from '../../server/tasks/task-server.ts';
import { memoryAudit } from '../server/kit.ts';
import { ada, approving, eve, grace, pendingIn } from './kit.ts';

const idIn = (result: object): string => pendingIn(result as never)?.id ?? `not pending: ${JSON.stringify(result)}`;

const rulesFor = (name: string): string => `
version: 1
rules:
  - { id: open, allow: [list, call, elicit], to: any, on: any }
  - { id: ops, ask: [call], to: any, on: { tool: ${name} }, approver: { role: ops } }
`;

/** What both SDKs have of the tools that a server registers. */
interface OfficialServer {
  registerTool(
    name: string,
    options: { description?: string; inputSchema?: object },
    handler: (given: { env: string }) => object,
  ): { update(changes: { description: string }): void };
}

const info = { name: 'bridged', version: '1' };

describe.each([
  ['SDK v1', () => new ServerV1(info), { env: z.string() }],
  ['SDK v2', () => new ServerV2(info), z.object({ env: z.string() })],
] as const)('a server of %s that is bridged', (_sdk, create, inputSchema) => {
  async function bridged() {
    const ran: string[] = [];
    const tools: { update(changes: { description: string }): void }[] = [];
    const audit = memoryAudit();
    const guarded = guard({ policy: createPolicy(rulesFor('deploy')), audit, approvals: { waitMs: 0 } });
    const make = () => {
      const server = create();
      const handler = ({ env }: { env: string }) => {
        ran.push(env);
        return { content: [{ type: 'text', text: `deployed ${env}` }] };
      };
      tools.push((server as unknown as OfficialServer).registerTool('deploy', { inputSchema }, handler));
      return server;
    };
    const server = await fromOfficial(make as never, { guard: guarded });
    return { server, guarded, ran, tools, audit };
  }

  it.each(protocolVersions)('has a call wait for another person, run once, and asks again, in %s', async (version) => {
    const { server, guarded, ran, audit } = await bridged();
    const { client, close } = await createTestConnection(server as never, {
      protocolVersion: version,
      principal: ada,
    });
    const id = idIn(await client.tools.call('deploy', { env: 'test' }));
    expect(await guarded.approvals.list(grace)).toMatchObject([
      { id, server: 'bridged', tool: 'deploy', arguments: { env: 'test' }, requester: { subject: 'ada' } },
    ]);
    await guarded.approvals.decide(id, 'approve', grace);
    expect(idIn(await client.tools.call('deploy', { env: 'prod' }))).not.toBe(id);
    expect(toText(await client.tools.call('deploy', { env: 'test' }))).toBe('deployed test');
    expect(idIn(await client.tools.call('deploy', { env: 'test' }))).not.toBe(id);
    expect(ran).toEqual(['test']);
    await close();
    expect(audit.kinds().filter((kind) => kind === 'approval-used')).toHaveLength(1);
  });

  it('needs another approval of a tool that it has changed', async () => {
    const { server, guarded, ran, tools } = await bridged();
    const { client, close } = await createTestConnection(server as never, {
      protocolVersion: '2025-11-25',
      principal: ada,
    });
    const id = idIn(await client.tools.call('deploy', { env: 'test' }));
    await guarded.approvals.decide(id, 'approve', grace);
    for (const one of tools) one.update({ description: 'Deploys everything' });
    await client.tools.list().all();
    expect(idIn(await client.tools.call('deploy', { env: 'test' }))).toMatch(/^(?!not)/);
    expect(idIn(await client.tools.call('deploy', { env: 'test' }))).not.toBe(id);
    expect(ran).toEqual([]);
    await close();
  });
});

it.each(protocolVersions)(
  'a bridged server has tools approved as the caller has them listed, in %s',
  async (protocolVersion) => {
    const ran: string[] = [];
    const make = () => {
      const server = new ServerV2(info);
      server.registerTool('always', {}, () => ({ content: [] }));
      server.server.oninitialized = () => {
        const isRooted = server.server.getClientCapabilities()?.roots !== undefined;
        server.registerTool('deploy', { description: isRooted ? 'With roots' : 'Without roots' }, () => {
          ran.push(isRooted ? 'rooted' : 'rootless');
          return { content: [{ type: 'text', text: 'done' }] };
        });
      };
      return server;
    };
    const guarded = guard({ policy: createPolicy(rulesFor('deploy')), approvals: { waitMs: 0 } });
    const server = (await fromOfficial(make as never, { guard: guarded })) as never;
    const [rooted, rootless] = [
      await createTestConnection(server, { protocolVersion, principal: ada, handlers: { roots: [] } }),
      await createTestConnection(server, { protocolVersion, principal: ada }),
    ];
    const id = idIn(await rooted.client.tools.call('deploy'));
    await guarded.approvals.decide(id, 'approve', grace);
    // The same name, and another tool.
    expect([id]).not.toContain(idIn(await rootless.client.tools.call('deploy')));
    expect(ran).toEqual([]);
    expect(toText(await rooted.client.tools.call('deploy'))).toBe('done');
    expect(ran).toEqual(['rooted']);
    await Promise.all([rooted.close(), rootless.close()]);
  },
);

describe('a server that is mounted', () => {
  function mounted() {
    const ran: string[] = [];
    const inputSchema = z.object({ env: z.string() });
    const deploy = (description: string) =>
      tool({ description, inputSchema }, ({ env }) => {
        ran.push(env);
        return `deployed ${env}`;
      });
    const inner = createServer({ name: 'inner', version: '1', tools: { deploy: deploy('Deploys') } });
    const guarded = guard({ policy: createPolicy(rulesFor('in_deploy')), approvals: { waitMs: 0 } });
    const outer = createServer({ name: 'outer', version: '1', mounts: { in: inner } }, { guard: guarded });
    return { inner, outer, guarded, ran, deploy };
  }

  it.each(protocolVersions)('has its calls approved under their names with prefix, in %s', async (version) => {
    const { outer, guarded, ran } = mounted();
    const { client, close } = await createTestConnection(outer, { protocolVersion: version, principal: ada });
    const call = () => client.tools.call('in_deploy', { env: 'test' });
    const id = idIn(await call());
    expect(await guarded.approvals.list(grace)).toMatchObject([{ id, server: 'outer', tool: 'in_deploy' }]);
    await guarded.approvals.decide(id, 'approve', grace);
    expect(toText(await call())).toBe('deployed test');
    expect(idIn(await call())).not.toBe(id);
    expect(ran).toEqual(['test']);
    await close();
  });

  it('needs another approval of a tool that it has changed', async () => {
    const { inner, outer, guarded, ran, deploy } = mounted();
    const { client, close } = await createTestConnection(outer, { principal: ada });
    const call = () => client.tools.call('in_deploy', { env: 'test' });
    const id = idIn(await call());
    await guarded.approvals.decide(id, 'approve', grace);
    inner.update(({ tools }) => {
      tools.deploy = deploy('Deploys everything');
    });
    expect([id]).not.toContain(idIn(await call()));
    expect(ran).toEqual([]);
    await close();
  });
});

describe('two nodes that share a store', () => {
  async function nodes() {
    const store = createMemoryStore();
    const secrets = ['a secret of sixteen'];
    const users = { ada, eve };
    const started = await Promise.all(
      [0, 1].map(async () => {
        const made = approving({}, { server: { secrets } });
        const service = await serveHttp(made.server, {
          port: 0,
          store,
          authenticate: ({ header }) => users[header('authorization') as 'ada'],
        });
        onTestFinished(() => service.close());
        return { ...made, url: service.url };
      }),
    );
    const [one, two] = started as [(typeof started)[0], (typeof started)[0]];
    const open = async (node: { url: string }, version: (typeof protocolVersions)[number], as = 'ada') => {
      const client = await connect(
        { url: node.url, headers: { authorization: as } },
        {
          protocolVersions: [version],
          handlers: { elicitForm: () => ({ action: 'accept', content: { decision: 'approve' } }) },
        },
      );
      onTestFinished(() => client.close());
      return client;
    };
    return { one, two, open };
  }

  it.each(protocolVersions)(
    'one has it requested, the other one decided and run once, over HTTP in %s',
    async (version) => {
      const { one, two, open } = await nodes();
      const [first, second] = [await open(one, version), await open(two, version)];
      const other = await open(two, version, 'eve');
      const id = idIn(await first.tools.call('deploy', { env: 'test' }));
      await two.guarded.approvals.decide(id, 'approve', grace);
      expect(idIn(await other.tools.call('deploy', { env: 'test' }))).not.toBe(id);
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? first : second).tools.call('deploy', { env: 'test' })),
      );
      expect(results.filter(({ isError }) => isError !== true).map((result) => toText(result))).toEqual([
        'deploy has run',
      ]);
      expect([...one.ran, ...two.ran]).toEqual(['deploy {"env":"test"}']);
      expect([...one.audit.kinds(), ...two.audit.kinds()].filter((kind) => kind === 'approval-used')).toHaveLength(1);
    },
  );
});

it('an answered form that is sent again to another node does not run the call again, where only approvals are shared', async () => {
  const store = createMemoryStore().approvals;
  const [one, two] = [approving({ store }), approving({ store })];
  const params = {
    name: 'self',
    arguments: { env: 'test' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    },
  };
  const asked = (await openClient(one.server, { principal: 'ada' }).ask('tools/call', params)).result as {
    inputRequests: object;
    requestState: string;
  };
  const [key] = Object.keys(asked.inputRequests) as [string];
  const inputResponses = { [key]: { action: 'accept', content: { decision: 'approve' } } };
  const answered = { ...params, inputResponses, requestState: asked.requestState };
  for (const { server } of [one, two, two]) await openClient(server, { principal: 'ada' }).ask('tools/call', answered);
  expect([...one.ran, ...two.ran]).toEqual(['self {"env":"test"}']);
});
