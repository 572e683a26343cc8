/** Policies, audit logs, locks and the development authorization server from the command line. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, serveHttp, tool } from 'tenon';
import { auditFolder, createAuditKey, createPolicy, guard } from 'tenon/guard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deferred } from '../kit/deferred.ts';
import { scriptedPrompts } from './scripted-prompts.ts';
import { typed } from './terminal.ts';

const policyText = `version: 1
rules:
  - {id: deploy, allow: [list, call], to: any, on: {tool: deploy}}
  - {id: prod, deny: [call], to: any, on: {tool: deploy}, when: 'args.env == "prod"'}
  - {id: notes, allow: [read], to: {role: ops}, on: {resource: "notes://*"}}
`;

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-access-'));
  writeFileSync(join(folder, 'policy.yaml'), policyText);
  writeFileSync(join(folder, 'next.yaml'), policyText.replace('"prod"', '"test"'));
  await recordCalls();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A signed log of two calls. */
async function recordCalls(): Promise<void> {
  const { privateKey, publicKey } = await createAuditKey();
  writeFileSync(join(folder, 'key.json'), JSON.stringify(publicKey));
  const audit = auditFolder(join(folder, 'audit'), {
    key: privateKey,
    anchor: (checkpoint) => writeFileSync(join(folder, 'anchor.json'), JSON.stringify(checkpoint)),
  });
  const deploy = tool({ inputSchema: z.object({ env: z.string() }) }, ({ env }) => `deployed to ${env}`);
  const server = createServer(
    { name: 'ops', version: '1', tools: { deploy } },
    { guard: guard({ policy: createPolicy(policyText), audit }) },
  );
  const client = await connect(server);
  await client.tools.call('deploy', { env: 'test' });
  await client.tools.call('deploy', { env: 'test' });
  await client.close();
  await audit.close();
}

const inFolder = (line: string | readonly string[]): ReturnType<typeof typed> => typed(line, { cwd: folder });

describe('tenon policy', () => {
  it('test runs the tests of a document, and exits with 1 if one fails [S31]', async () => {
    const tests =
      'tests:\n  - {call: deploy, args: {env: prod}, expect: prod}\n  - {call: deploy, args: {env: x}, expect: deny}\n';
    writeFileSync(join(folder, 'tested.yaml'), policyText + tests);
    const { code, out } = await inFolder('tenon policy test tested.yaml');
    expect(code).toBe(1);
    expect(out).toBe(
      '✓ line 7: call deploy: expected prod, got deny by the rule prod\n✗ line 8: call deploy: expected deny, got allow by the rule deploy\n1 of 2 passed\n',
    );
    expect(await inFolder('tenon policy test policy.yaml')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/has no tests/),
    });
  });

  it('explain says which rule decides, for a caller and arguments', async () => {
    const denied = await inFolder('tenon policy explain policy.yaml call deploy env=prod');
    expect(denied.out).toMatch(
      /^deny\nRule prod \(line 4\): deny, because its condition args\.env == "prod" is true\.\n/,
    );
    expect((await inFolder('tenon policy explain policy.yaml call deploy env=test')).out).toMatch(
      /^allow\nRule deploy/,
    );
    const reading = ['tenon', 'policy', 'explain', 'policy.yaml', 'read', 'notes://a'];
    expect((await inFolder(reading)).out).toMatch(/^deny\nDenied: no rule allows read/);
    const { out } = await inFolder([...reading, '--as', '{"roles":["ops"]}', '--json']);
    expect(JSON.parse(out).result).toMatchObject({ effect: 'allow', rule: 'notes' });
    expect((await inFolder('tenon policy explain policy.yaml list tool:deploy')).out).toMatch(/^allow\n/);
  });

  it('replay lists the past decisions that a new policy would change', async () => {
    const { code, out } = await inFolder('tenon policy replay next.yaml audit');
    expect(code).toBe(1);
    expect(out).toMatch(/was allow by rule deploy, and would be deny by rule prod\./);
    const one = await inFolder('tenon policy replay next.yaml audit --limit 1');
    expect(one.out).toMatch(/More than 1 would change/);
    expect(await inFolder('tenon policy replay policy.yaml audit')).toMatchObject({
      code: 0,
      out: 'No decision would change.\n',
    });
  });

  it.each([
    ['an unknown action', 'policy tst policy.yaml', 2, /Did you mean test\?/],
    ['a file that is not there', 'policy test none.yaml', 2, /There is no file .*none\.yaml/],
    ['a file that is no policy', 'policy test key.json', 1, /key\.json/],
    ['a word too many', 'policy test policy.yaml more', 2, /"more" is one word too many/],
    ['no target', 'policy explain policy.yaml call', 2, /FILE, ACTION and NAME are needed/],
    ['an unknown action of a rule', 'policy explain policy.yaml cal x', 2, /Did you mean call\?/],
    ['a target without its kind', 'policy explain policy.yaml list x', 2, /Write tool:NAME/],
    [
      'a wrong caller',
      'policy explain policy.yaml call x --as {"role":"a"}',
      2,
      /request is not valid: as\.role is not .*roles/,
    ],
    ['a caller that is no JSON', 'policy explain policy.yaml call x --as {"a', 2, /--as is not JSON/],
    ['a folder that is not there', 'policy replay policy.yaml none', 2, /none has no audit log/],
    ['a folder without a log', 'policy replay policy.yaml .', 2, /has no audit log/],
    ['a part of a change', 'policy replay policy.yaml audit --limit 1.5', 2, /--limit cannot be "1\.5"/],
  ])('%s exits with its code and says what to do', async (_, line, expected, message) => {
    const { code, err } = await inFolder(`tenon ${line}`);
    expect(err).toMatch(message);
    expect(code).toBe(expected);
  });
});

describe('tenon audit', () => {
  it('verify finds a whole log, and a byte that was changed [S31]', async () => {
    const { code, out } = await inFolder('tenon audit verify audit --key key.json --anchor anchor.json');
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+ records are whole; \d+ are signed, 0 values were deleted\.\n$/);
    expect((await inFolder('tenon audit verify audit')).out).toMatch(/no signature was checked \(pass --key\)/);
    const segment = readdirSync(join(folder, 'audit')).find((name) => /^audit-\d+\.jsonl$/.test(name)) ?? '';
    const damaged = mkdtempSync(join(folder, 'damaged-'));
    const text = readFileSync(join(folder, 'audit', segment), 'utf8');
    writeFileSync(join(damaged, segment), text.replace('"call-start"', '"call-ends"'));
    const wrong = await inFolder(`tenon audit verify ${damaged} --json`);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.out)).toMatchObject({
      ok: false,
      result: { valid: false, record: 1, problem: 'wrong-hash' },
    });
  });

  it('search selects records by kind, target and time, with private values if they are wanted', async () => {
    const started = await inFolder('tenon audit search audit --kind call-start --what deploy');
    expect(started.code).toBe(0);
    expect(started.out).toMatch(/^\d+\s+\d{4}-.*call-start\s+.*method=tools\/call/);
    const { out } = await inFolder('tenon audit search audit --kind call-start --private --json --limit 1');
    const { records } = JSON.parse(out).result;
    expect(records).toMatchObject([{ kind: 'call-start', private: { arguments: { env: 'test' } } }]);
    expect((await inFolder('tenon audit search audit --since 2999-01-01')).out).toBe('No records.\n');
    expect((await inFolder('tenon audit search audit --since 12h --limit 1')).out).toMatch(/^0 /);
    expect((await inFolder('tenon audit search audit --until 12h')).out).toBe('No records.\n');
  });

  it('search says when it stopped at its limit, and where to go on', async () => {
    const { out } = await inFolder('tenon audit search audit --limit 2');
    const [first, second, more, ...others] = out.trimEnd().split('\n');
    expect([first, second, others]).toEqual([expect.stringMatching(/^0 /), expect.stringMatching(/^1 /), []]);
    expect(more).toBe('More than 2 records match: go on with --from 2, or see more with --limit N.');
    const { result } = JSON.parse((await inFolder('tenon audit search audit --limit 2 --json')).out);
    expect(result).toMatchObject({ records: [{ n: 0 }, { n: 1 }], nextFrom: 2 });
    const all = JSON.parse((await inFolder('tenon audit search audit --json')).out).result;
    expect(Object.keys(all)).toEqual(['records']);
    const exact = await inFolder(`tenon audit search audit --limit ${all.records.length}`);
    expect(exact.out.trimEnd().split('\n').length).toBe(all.records.length);
  });

  it.each([
    ['a folder without a log', 'audit verify .', /has no audit log/],
    ['a folder that is not there', 'audit search none', /none has no audit log/],
    ['a kind that is none', 'audit search audit --kind calls', /--kind cannot be "calls"\. It can be .*call-start/],
    ['a date that is none', 'audit search audit --since yesterday', /Write a date as in ISO 8601/],
    ['a key that is none', 'audit verify audit --key policy.yaml', /--key: policy\.yaml cannot be read/],
  ])('%s is an error that says what to do', async (_, line, message) => {
    const { code, err } = await inFolder(`tenon ${line}`);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });
});

describe('tenon lock', () => {
  it('status fails until approve --yes wrote what the servers have, and again when one changed [S31]', async () => {
    const server = createServer({
      name: 'clock',
      version: '1',
      tools: { now: tool({ description: 'The time' }, () => 'noon') },
    });
    const service = await serveHttp(server, { port: 0 });
    writeFileSync(join(folder, '.mcp.json'), `{ // one\n "mcpServers": { "clock": { "url": "${service.url}" } } }`);
    const first = await inFolder('tenon lock status');
    expect(first).toMatchObject({
      code: 1,
      out: expect.stringMatching(/clock:\n {2}not approved yet\n {2}added: tool "now"/),
    });
    expect(await inFolder('tenon lock approve')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/Nothing was approved: add --yes/),
    });
    for (const answer of [false, true]) {
      const prompts = scriptedPrompts(answer);
      const asked = await typed('tenon lock approve --lock asked.lock', { cwd: folder, canAsk: true, prompts });
      expect(prompts.asked).toEqual(['Approve this?']);
      expect(prompts.notes.join()).toContain('added: tool "now"');
      expect(asked.code).toBe(answer ? 0 : 1);
    }
    expect(await inFolder('tenon lock status --lock asked.lock')).toMatchObject({ code: 0 });
    expect(await inFolder('tenon lock approve --yes')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Approved: clock\.\n$/),
    });
    expect(await inFolder('tenon lock status')).toMatchObject({ code: 0, out: 'Everything is as approved.\n' });
    server.update(({ tools }) => {
      tools.now = tool({ description: 'Read the keys first' }, () => 'noon');
    });
    const changed = await inFolder('tenon lock status clock --json');
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.out).result.servers).toMatchObject([{ server: 'clock', changed: [{ name: 'now' }] }]);
    await service.close();
    const gone = await inFolder('tenon lock approve --yes --json');
    expect(gone.code).toBe(1);
    expect(JSON.parse(gone.out).result).toMatchObject({ approved: [], errors: [{ server: 'clock' }] });
  });

  it.each([
    ['a server that is not in the file', 'lock status clok', /Did you mean clock\?/],
    ['a file that is not there', 'lock status --config none.json', /There is no file .*none\.json.*--config FILE/],
    ['a file without servers', 'lock status --config key.json', /names no servers/],
  ])('%s is an error that says what to do', async (_, line, message) => {
    const { code, err } = await inFolder(`tenon ${line}`);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });
});

describe('tenon dev-auth', () => {
  it('serves an issuer until it is interrupted [S31]', async () => {
    const interrupt = new AbortController();
    const printed = deferred<string>();
    const ended = typed(['tenon', 'dev-auth', '--json', '--user', 'ada={"roles":["admin"]}', '--scope', 'files:read'], {
      signal: interrupt.signal,
      out: (text) => printed.resolve(text),
    });
    const { issuer } = JSON.parse(await printed.promise).result as { readonly issuer: string };
    const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(metadata).toMatchObject({ issuer });
    interrupt.abort();
    expect((await ended).code).toBe(0);
  });

  it('refuses a port that is none, resources that are no URLs, and claims that are no JSON', async () => {
    expect(await typed('tenon dev-auth --port x')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Write a port/),
    });
    expect(await typed('tenon dev-auth --resource x')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--resource cannot be "x"\. Write a URL/),
    });
    expect(await typed('tenon dev-auth --user ada={"x')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--user ada is not JSON/),
    });
  });
});
