/** Approvals from the command line: the store of a server is enough to list, show and decide. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, openStore, serveHttp, tool, toText } from 'tenon';
import { auditFolder, createPolicy, guard, searchAudit, verifyAudit } from 'tenon/guard';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { pendingIn } from '../guard/approvals/kit.ts';
import { typed } from './terminal.ts';

const rules = `
version: 1
rules:
  - { id: open, allow: [list, call], to: any, on: any }
  - { id: ops, ask: [call], to: any, on: { tool: deploy }, approver: { role: ops } }
`;

/** A server with a store in a file. Approvals are decided by commands, as another process would. */
async function serving(
  encryption?: { readonly keys: readonly string[] },
  principal?: { readonly issuer: string; readonly subject: string },
) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-approvals-'));
  const audit = auditFolder(join(folder, 'audit'));
  const ran: string[] = [];
  const deploy = tool({ inputSchema: z.object({ env: z.string().default('prod') }) }, ({ env }) => {
    ran.push(env);
    return `Deployed to ${env}`;
  });
  const guarded = guard({ policy: createPolicy(rules), audit, approvals: { waitMs: 0 } });
  const server = createServer(
    { name: 'ops', version: '1', tools: { deploy } },
    { guard: guarded, secrets: ['a secret of sixteen'] },
  );
  const url = `sqlite:${join(folder, 'demo.db')}`;
  const store = await openStore(url, encryption ? { encryption } : {});
  const service = await serveHttp(server, { port: 0, store, ...(principal && { authenticate: () => principal }) });
  const client = await connect(service.url);
  onTestFinished(async () => {
    await client.close();
    await service.close();
    await store.close();
    await audit.close().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, audit, ran, client, url, guarded };
}

const run = (words: readonly string[], more: Parameters<typeof typed>[1] = {}) =>
  typed(['tenon', 'approvals', ...words], more);

describe('tenon approvals', () => {
  it('approve lets exactly this call run once; then it asks again, and the audit log proves it', async () => {
    const { folder, audit, ran, client, url } = await serving();
    const { id } = pendingIn(await client.tools.call('deploy', { env: 'test' })) as { id: string };
    const listed = await run(['list', '--store', url]);
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(
      new RegExp(`^ID +STATE +CALL +CALLER +OPEN UNTIL\\n${id} +waiting +deploy of ops +a caller who`),
    );
    const approved = await run(['approve', id.toLowerCase(), '--store', url, '--reason', 'Looks right']);
    expect(approved.out).toContain(`${id} may run once: deploy of ops`);
    expect(approved.out).toContain('"env": "test"');
    expect(toText(await client.tools.call('deploy', { env: 'test' }))).toBe('Deployed to test');
    expect(pendingIn(await client.tools.call('deploy', { env: 'test' }))?.id).not.toBe(id);
    expect(ran).toEqual(['test']);
    expect((await run(['show', id, '--store', url])).out).toContain(`${id} was used`);
    await audit.close();
    const kinds: string[] = [];
    const kindsOf = ['approval-requested', 'approval-decided', 'approval-used', 'call-start'] as const;
    for await (const { kind, who, what } of searchAudit(join(folder, 'audit'), { kinds: kindsOf }))
      kinds.push(`${kind}${what?.approval === id ? ' it' : ''}${who?.operator === undefined ? '' : ' by an operator'}`);
    expect(kinds).toEqual([
      'approval-requested it',
      'approval-decided it by an operator',
      'approval-used it',
      'call-start',
      'approval-requested',
    ]);
    expect((await verifyAudit(join(folder, 'audit'))).valid).toBe(true);
    const searched = await typed(['tenon', 'audit', 'search', join(folder, 'audit'), '--kind', 'approval-used']);
    expect(searched.out).toContain(id);
  });

  it('deny refuses the call, with the reason; --json has the approval', async () => {
    const { client, url, ran } = await serving();
    const { id } = pendingIn(await client.tools.call('deploy', {})) as { id: string };
    const denied = await run(['deny', id, '--reason', 'Freeze', '--store', url, '--json']);
    expect(JSON.parse(denied.out)).toMatchObject({
      ok: true,
      result: {
        approval: { id, state: 'denied', arguments: {}, validated: { env: 'prod' }, decision: { reason: 'Freeze' } },
      },
    });
    await expect(client.tools.call('deploy', {})).rejects.toMatchObject({ message: expect.stringContaining('Freeze') });
    const again = await run(['approve', id, '--store', url]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('it is denied')]);
    expect((await run(['list', '--store', url])).out).toBe('No call waits for an approval.\n');
    expect((await run(['list', '--all', '--store', url])).out).toContain(`${id}`);
    expect(ran).toEqual([]);
  });

  it('shows a name with line breaks on one line: it cannot look like another part of the approval', async () => {
    const subject = `ada\nopen until 2099\u202e`;
    const { client, url } = await serving(undefined, { issuer: 'https://id.example.com', subject });
    const { id } = pendingIn(await client.tools.call('deploy', {})) as { id: string };
    await run(['deny', id, '--store', url, '--reason', 'No\nSHA-256 of the call: other']);
    for (const words of [
      ['show', id],
      ['list', '--all'],
    ]) {
      const { out } = await run([...words, '--store', url]);
      expect(out).toContain(String.raw`ada\nopen until 2099\u202e`);
      expect(out.match(/^(?:open until|SHA-256)/gm)?.length ?? 0).toBe(words[0] === 'show' ? 2 : 0);
    }
  });

  it('opens an encrypted store with the secrets of a variable', async () => {
    const keys = ['a secret of thirty-two characters!', 'an older secret of many characters'];
    const { client, url } = await serving({ keys });
    const { id } = pendingIn(await client.tools.call('deploy', {})) as { id: string };
    expect(JSON.parse((await run(['list', '--json', '--store', url])).out)).toMatchObject({
      error: { code: 'store-key-missing' },
    });
    const env = { HOME: '/nowhere', TENON_STORE: url, TENON_STORE_KEYS: keys.join('\n') };
    expect((await run(['list'], { env })).out).toContain(id);
  });

  it.each([
    [['list'], /Which store\?/],
    [['list', '--store', 'memory:'], /belongs to its process/],
    [['list', '--store', 'sqlite:./missing.db'], /There is no file/],
    [['approve', '--store', 'sqlite:./missing.db'], /ID is missing/],
    [['grant', 'X', '--store', 'memory:'], /approve/],
  ])('%j is a wrong command line', async (words, message) => {
    const { code, err } = await run(words);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it('an unknown ID is an error, and decides nothing', async () => {
    const { url } = await serving();
    const { code, out } = await run(['approve', 'K7M29QXF3T', '--json', '--store', url]);
    expect([code, JSON.parse(out)]).toMatchObject([1, { error: { code: 'approval-not-found' } }]);
  });
});
