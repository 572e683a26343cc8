/** What an attacker, or a careless deletion, leaves of an audit log; and rules that a user of another issuer could use. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Authenticate, connect, createServer, resourceTemplate, serveHttp, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { auditFolder, createPolicy, guard, searchAudit, verifyAudit } from 'tenon/guard';
import { describe, expect, it, onTestFinished } from 'vitest';
import { typed } from '../../cli/terminal.ts';
import { newFolder } from '../../guard/audit/audit-folder.ts';
import { memoryAudit } from '../../guard/server/kit.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const openPolicy = 'version: 1\nrules:\n  - {id: all, allow: [list, call, read], to: any, on: any}\n';

const textIn = async (folder: string): Promise<string> =>
  (await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))).join('\n');

const ada = { issuer: 'https://id.test', subject: 'ada' };

/** Reads through a template, of which the last is over a limit; then the private values of the reader are deleted. */
async function redactedLog(): Promise<string> {
  const folder = await newFolder();
  const audit = auditFolder(folder);
  const limits = { perPrincipal: { rate: '1/h', burst: 5 } } as const;
  const resourceTemplates = { 'notes://{user}/latest': resourceTemplate({}, () => 'a note') };
  const server = createServer(
    { name: 'notes', version: '1', resourceTemplates },
    { guard: guard({ policy: createPolicy(openPolicy), audit, limits }) },
  );
  const service = await serveHttp(server, { port: 0, authenticate: () => ada, onWarning() {} });
  const client = await connect(service.url, { reconnect: false });
  const read = (at: number): Promise<unknown> => client.resources.read(`notes://planted-${at}/latest`);
  await read(0);
  const all = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => withTimeout(read(at + 1), 'a read')));
  expect(all.some(({ status }) => status === 'rejected')).toBe(true);
  await client.close();
  await service.close();
  await audit.redact({ who: JSON.stringify([ada.issuer, ada.subject]) });
  await audit.close();
  return folder;
}

describe('an audit log', () => {
  it('has no variable of a template once the private values of a caller are deleted [S24]', async () => {
    const folder = await redactedLog();
    const records = [];
    for await (const record of searchAudit(folder, { includePrivate: true })) records.push(record);
    const kinds = new Set(records.map(({ kind }) => kind));
    expect([kinds.has('call-start'), kinds.has('limit')]).toEqual([true, true]);
    expect(records.find(({ kind }) => kind === 'call-start')?.what).toMatchObject({
      template: 'notes://{user}/latest',
    });
    expect(JSON.stringify(records)).not.toContain('planted');
    expect(await textIn(folder)).not.toContain('planted');
    expect(await verifyAudit(folder)).toMatchObject({ valid: true });
  });

  it.each([
    ['deleted', (path: string) => rm(path)],
    ['emptied', (path: string) => writeFile(path, '')],
  ])('whose files were %s is not valid [S24]', async (_, change) => {
    const folder = await redactedLog();
    for (const name of await readdir(folder)) await change(join(folder, name));
    expect(await verifyAudit(folder)).toMatchObject({ valid: false, record: 0, problem: 'missing-start' });
    const { code, out, err } = await typed(['tenon', 'audit', 'verify', folder]);
    expect([code, out + err]).toEqual([1, expect.stringContaining('Record 0 is missing')]);
  });
});

describe('a rule for a subject without its issuer', () => {
  const rule = (to: string): string => `  - {id: r${to.length}, allow: [list, call], to: {${to}}, on: any}\n`;
  const serving = async (rules: readonly string[], authenticate: Authenticate) => {
    const warnings: Error[] = [];
    const policy = createPolicy(`version: 1\nrules:\n${rules.map(rule).join('')}`);
    const server = createServer(
      { name: 's', version: '1', tools: { a: tool({}, () => 'a') } },
      { guard: guard({ policy, audit: memoryAudit() }) },
    );
    const service = await serveHttp(server, { port: 0, authenticate, onWarning: (one) => void warnings.push(one) });
    onTestFinished(() => service.close());
    return warnings;
  };
  const issuers = ['https://one.test', 'https://two.test'];
  const resource = 'http://127.0.0.1:9/mcp';

  it('is a warning with one issuer, and with unknown ones [S23]', async () => {
    for (const authenticate of [protect({ issuer: 'https://one.test', resource }), () => ada])
      expect(await serving(['subject: ada'], authenticate)).toMatchObject([
        { code: 'invalid-definition', message: expect.stringContaining('without its issuer') },
      ]);
    expect(await serving(['subject: ada, issuer: "https://one.test"'], protect({ issuers, resource }))).toEqual([]);
  });

  it('is an error with two issuers, that are trusted or that other rules name [S23]', async () => {
    const refused = expect.objectContaining({ code: 'invalid-definition', details: { rules: ['r12'], issuers } });
    await expect(serving(['subject: ada'], protect({ issuers, resource }))).rejects.toEqual(refused);
    const named = issuers.map((issuer) => `issuer: "${issuer}", subject: bob`);
    await expect(
      serving(['subject: ada', named[0] ?? ''], protect({ issuer: issuers[1] ?? '', resource })),
    ).rejects.toThrow(/without its issuer/);
  });
});
