/** `npm start -- --auth`: the demo behind a development authorization server, without npm and the setup. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { visit } from '../../src/dev-auth/pages/visitor.ts';
import { root } from '../architecture/source-tree.ts';
import { redirectUri, requestsTo } from '../kit/auth/dev-auth.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { demoArgs } from './demo-program.ts';

let child: ChildProcess;
let errors = '';
let lines: string[];
let url: string;

beforeAll(async () => {
  child = spawn(process.execPath, [...demoArgs, '--auth'], {
    cwd: root,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  lines = [(await output.next()).value ?? errors, (await output.next()).value ?? errors];
  url = lines[0]?.replace(/^ready /, '') ?? '';
});
afterAll(() => void child.kill('SIGKILL'));

const add = (authorization?: string) => {
  const sent = loneCall('add', { a: 2, b: 3 });
  return send(url, { ...sent, headers: { ...sent.headers, ...(authorization !== undefined && { authorization }) } });
};

test('it prints the ready line and the command that signs in, and announces the authorization server', () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  expect(lines[1]).toBe(`Sign in and call it: node --import tsx examples/demo/sign-in.ts ${url}`);
  expect(errors).toMatch(/^Development authorization server at http:\/\/127\.0\.0\.1:\d+: not for production/m);
});

test('a client without a token is led to the authorization server, signs in, and calls a tool [S22]', async () => {
  const refused = await add();
  const at = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))?.[1] ?? '';
  const document = await (await fetch(at)).json();
  expect([refused.status, document.resource]).toEqual([401, url]);
  const auth = await requestsTo(document.authorization_servers[0]);
  const client = await auth.register({ redirect_uris: [redirectUri] });
  const back = await auth.authorize(client, { resource: url });
  const { body } = await auth.redeem(client, back, { resource: url });
  const answer = await add(`Bearer ${body.access_token}`);
  expect(answer).toMatchObject({ status: 200, json: { result: { structuredContent: { sum: 5 } } } });
});

test('the printed command opens the sign-in, and calls a tool after it [S22]', async () => {
  const [, command = ''] = lines[1]?.split(': node ') ?? [];
  const signingIn = spawn(process.execPath, [...command.split(' '), '--no-browser'], { cwd: root });
  const output = text(signingIn.stdout);
  for await (const line of createInterface({ input: signingIn.stderr })) {
    const page = /^ +(http:\S+)$/.exec(line)?.[1];
    if (page === undefined) continue;
    const back = await visit(new URL(page).origin, new URL(page), 'grace', {});
    await fetch(back.url);
    break;
  }
  expect(await output).toMatch(/^Signed in\. Tools: .*add.*\nadd 2 and 3: \{"sum":5\}\n$/);
});

test('it stops on SIGTERM, with its authorization server', async () => {
  child.kill('SIGTERM');
  await once(child, 'exit');
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
