/** `tenon login` and `tenon logout`: credentials are stored once, and used by every command on the URL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Io } from '../../src/cli/io/io.ts';
import { setPendingSignIn } from '../../src/cli/target/pending-sign-in.ts';
import { credentialsFolder, defaultFolder } from '../../src/node/credentials/credentials-folder.ts';
import { type ProtectedServer, startProtected } from '../kit/auth/protected-server.ts';
import { type Printed, typed } from './terminal.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tenon-login-'));
});
afterAll(() => rmSync(home, { recursive: true }));
// No browser is opened on the machine of a developer.
beforeEach(() => {
  vi.stubEnv('DISPLAY', '');
  vi.stubEnv('WAYLAND_DISPLAY', '');
  return () => vi.unstubAllEnvs();
});

const type = (line: string, own: Partial<Io> = {}): Promise<Printed> => typed(line, { env: { HOME: home }, ...own });

/** What a person does with the page, and the browser with the redirect. */
async function visit({ server }: ProtectedServer, page: string): Promise<void> {
  await fetch(await server.signIn(new URL(page), { user: 'ada' }));
}

it('without a terminal a sign-in waits for the browser, and later commands use its credentials [S31]', async () => {
  const service = await startProtected();
  const { url } = service;
  const refused = await type(`tenon call ${url} whoami`);
  expect(refused).toMatchObject({ code: 4, err: expect.stringContaining(`Sign in with: tenon login ${url}`) });
  const forPrograms = JSON.parse((await type(`tenon call ${url} whoami --json`)).out);
  expect(forPrograms.error).toMatchObject({ step: 'authorize', hint: `Sign in with: tenon login ${url}` });
  const login = await type(`tenon login ${url} --json`);
  expect(login.code).toBe(5);
  const { id, questions } = JSON.parse(login.out).pending;
  expect(questions).toEqual([{ key: '1', method: 'sign-in', params: { url: expect.stringMatching(/^http/) } }]);
  const waiting = await type(`tenon answer ${id}`);
  expect(waiting).toMatchObject({
    code: 5,
    err: expect.stringMatching(/Sign in at http.*\nOpen the page in a browser/),
  });
  await visit(service, questions[0].params.url);
  const done = await vi.waitFor(async () => {
    const printed = await type(`tenon answer ${id}`);
    expect(printed.code).toBe(0);
    return printed;
  });
  expect(done.out).toBe(`Signed in to ${url}.\n`);
  expect(await type(`tenon call ${url} whoami`)).toEqual({ code: 0, out: 'ada\n', err: '' });
  expect(await type(`tenon call ${url} whoami --protocol-version 2025-11-25`)).toEqual({
    code: 0,
    out: 'ada\n',
    err: '',
  });
  expect((await type(`tenon login ${url}`)).out).toBe(`${url} needs no sign-in, or has one already.\n`);
  expect((await type(`tenon logout ${url}`)).out).toBe(`Signed out of ${url}.\n`);
  expect((await type(`tenon logout ${url}`)).out).toBe(`No credentials are stored for ${url}.\n`);
  const { result } = JSON.parse((await type(`tenon logout ${url} --json`)).out);
  expect(result).toEqual({ url, isSignedOut: false });
  expect((await type(`tenon call ${url} whoami`)).code).toBe(4);
});

it('at a terminal it waits for the browser itself', async () => {
  const service = await startProtected();
  let shown = '';
  const err = (text: string): void => {
    shown += text;
    const [, page] = /Sign in at:\n {2}(http\S+)/.exec(text) ?? [];
    if (page !== undefined) void visit(service, page);
  };
  const login = await type(`tenon login ${service.url}`, { canAsk: true, err });
  expect(login).toMatchObject({ code: 0, out: `Signed in to ${service.url}.\n` });
  expect(shown).toContain('Sign in at:');
  expect((await type(`tenon logout --all`)).out).toBe('Signed out of all servers.\n');
  expect((await type(`tenon tools ${service.url}`)).code).toBe(4);
});

it('with --device it shows a code, and can be cancelled', async () => {
  const { url } = await startProtected();
  const { pending } = JSON.parse((await type(`tenon login ${url} --device --json`)).out);
  const { code } = pending.questions[0].params;
  expect((await type('tenon answer')).out).toMatch(new RegExp(`${pending.id}\\s+sign in with ${code}\\s+tenon login`));
  expect(pending.questions[0].params).toMatchObject({ url: expect.any(String), code: expect.any(String) });
  expect(await type(`tenon answer ${pending.id} --cancel`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('The sign-in was cancelled.'),
  });
});

it('a port for the redirect that is none is a usage error', async () => {
  const printed = await type('tenon login http://127.0.0.1:9/mcp --port 1.5', { canAsk: true });
  expect(printed).toMatchObject({ code: 2, err: expect.stringContaining('--port cannot be "1.5"') });
});

it('credentials that are typed are sent instead of stored ones', async () => {
  const { url } = await startProtected();
  const printed = await typed(['tenon', 'tools', url, '-H', 'Authorization: Bearer wrong'], { env: { HOME: home } });
  expect(printed).toMatchObject({ code: 4, err: expect.not.stringContaining('tenon login') });
});

it.each([
  ['login ./server.ts', /Only a server at a URL has a sign-in/],
  ['logout', /Which server\?/],
  ['logout http://127.0.0.1:1/mcp --all', /Which server\?/],
])('%s is refused', async (line, message) => {
  expect(await type(`tenon ${line}`)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
});

it('while a sign-in is pending, other commands on the URL say so and where, and end', async () => {
  const service = await startProtected();
  const { url } = service;
  const { id, questions } = JSON.parse((await type(`tenon login ${url} --json`)).out).pending;
  const page = questions[0].params.url;
  for (const command of ['tools', 'info', 'call whoami', 'login', 'ping']) {
    const [name, ...words] = command.split(' ');
    const printed = await type([`tenon ${name} ${url}`, ...words].join(' '));
    expect(printed.err).toContain(`A sign-in to ${url} is pending at ${page}.`);
    expect(printed.code).toBe(4);
  }
  const { error } = JSON.parse((await type(`tenon tools ${url} --json`)).out);
  expect(error).toMatchObject({ code: 'sign-in-required', hint: expect.stringContaining('tenon answer ID --decline') });
  await type(`tenon answer ${id} --decline`);
  expect((await type(`tenon tools ${url}`)).err).toContain(`Sign in with: tenon login ${url}`);
});

it('doctor says at the step authorize that a sign-in is pending and where, and ends', async () => {
  const { url } = await startProtected();
  const { id, questions } = JSON.parse((await type(`tenon login ${url} --json`)).out).pending;
  const text = `A sign-in to ${url} is pending at ${questions[0].params.url}.`;
  const printed = await type(`tenon doctor ${url}`);
  expect(printed.code).toBe(4);
  expect(printed.out.replace(/\s+/g, ' ')).toContain(text);
  const { steps } = JSON.parse((await type(`tenon doctor ${url} --json`)).out).result;
  expect(steps.filter(({ outcome }: { outcome: string }) => outcome === 'failed')).toEqual([
    expect.objectContaining({ step: 'authorize' }),
  ]);
  // As if the other process had not shown its page yet.
  await setPendingSignIn(credentialsFolder({ folder: defaultFolder('credentials', { HOME: home }) }), url);
  const waiting = await type(`tenon doctor ${url} --timeout 0.2`);
  expect(waiting.code).toBe(4);
  expect(waiting.out.replace(/\s+/g, ' ')).toContain(`holds the credentials for ${url} for over 200 ms`);
  await type(`tenon answer ${id} --decline`);
});

it('a command ends within its timeout when another process holds the credentials of the URL', async () => {
  const service = await startProtected();
  const { url } = service;
  const stored = JSON.parse((await type(`tenon login ${url} --json`)).out).pending;
  const store = credentialsFolder({ folder: defaultFolder('credentials', { HOME: home }) });
  // As if the other process had not shown its page yet.
  await setPendingSignIn(store, url);
  expect(await type(`tenon tools ${url} --timeout 0.2`)).toMatchObject({
    code: 4,
    err: expect.stringContaining(`holds the credentials for ${url} for over 200 ms`),
  });
  await type(`tenon answer ${stored.id} --decline`);
});

it('dev-auth --sign-in signs in at a running server from another process, without a browser', async () => {
  const { url } = await startProtected();
  const { id, questions } = JSON.parse((await type(`tenon login ${url} --json`)).out).pending;
  const signedIn = await type(`tenon dev-auth --user ada --sign-in ${questions[0].params.url} --json`);
  expect(JSON.parse(signedIn.out).result).toEqual({
    client: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
    isSignedIn: true,
  });
  await vi.waitFor(async () => expect((await type(`tenon answer ${id}`)).code).toBe(0));
  expect((await type(`tenon call ${url} whoami`)).out).toBe('ada\n');
  expect((await type('tenon dev-auth --sign-in nowhere')).err).toContain('--sign-in needs a URL');
  await type('tenon logout --all');
});
