/** A guard of a gateway decides by the names that callers see: policy, audit and limits hold for every upstream. */
import { createServer, type ProtocolVersion, resource, type Server, tool } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { describe, expect, it } from 'vitest';
import { newestSession } from '../../src/protocol/revisions/revisions.ts';
import { memoryAudit } from '../guard/server/kit.ts';
import { exchangeVersion } from '../kit/version-order.ts';
import { openAs, served, startGateway, textOf } from './start.ts';

const upstream = (): Server =>
  createServer({
    name: 'u',
    version: '1.0.0',
    tools: { read: tool({}, () => 'read'), remove: tool({}, () => 'removed') },
    resources: { 'notes://one': resource({}, () => 'one') },
  }) as Server;

const policy = createPolicy(`version: 1
rules:
  - { id: all, allow: [list, call, read], to: any, on: { tool: "github__*" } }
  - { id: no-remove, deny: [list, call], to: any, on: { tool: "github__remove" } }
  - { id: notes, allow: [list, read], to: { subject: ada }, on: { resource: "via:github/notes://**" } }
`);

describe.each([newestSession.id as ProtocolVersion, exchangeVersion])('A guard of a gateway, by %s', (version) => {
  const start = async (more = {}) => {
    const own = guard({ policy, ...more });
    const { gateway, warnings } = startGateway(
      { github: { server: upstream() }, mail: { server: upstream() } },
      { server: { guard: own } },
    );
    const url = await served(gateway.server);
    const open = (principal: string) => openAs(principal, url, { protocolVersions: [version] });
    return { open, warnings };
  };

  it('hides and refuses what the policy does not allow, and finds no unknown names', async () => {
    const { open, warnings } = await start();
    const [ada, bob] = [await open('ada'), await open('bob')];
    expect((await bob.tools.list().all()).map(({ name }) => name)).toEqual(['github__read']);
    expect(textOf(await bob.tools.call('github__read'))).toBe('read');
    for (const name of ['github__remove', 'mail__read'])
      await expect(bob.tools.call(name)).rejects.toMatchObject({ message: `Unknown tool: ${name}` });
    expect((await ada.resources.list().all()).map(({ uri }) => uri)).toEqual(['via:github/notes://one']);
    expect(await bob.resources.list().all()).toEqual([]);
    expect(warnings).toEqual([]);
    // Another spelling of the same resource is no way around a rule.
    for (const uri of ['via:github/NOTES://one', 'via:github/notes://x/../one'])
      await expect(ada.resources.read(uri)).rejects.toMatchObject({
        message: expect.stringMatching(/not found|allow/i),
      });
    expect(await ada.resources.read('via:github/notes://one')).toMatchObject({ contents: [{ text: 'one' }] });
  });

  it('records calls under their names, and limits them by these', async () => {
    const audit = memoryAudit();
    const { open } = await start({ audit, limits: { perTool: { github__read: { rate: '1/h' } } } });
    const ada = await open('ada');
    await ada.tools.call('github__read');
    await expect(ada.tools.call('github__read', {}, { maxTotalTimeoutMs: 300 })).rejects.toMatchObject({
      reason: 'rate-limited',
      data: { limit: 'perTool.github__read' },
    });
    const recorded = JSON.stringify(audit.events);
    expect(recorded).toContain('github__read');
    expect(recorded).toContain('ada');
  });
});
