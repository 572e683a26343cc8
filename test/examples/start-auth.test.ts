/** `npm start -- --auth`: the demo behind an authorization server whose users sign in at a development server, without npm and the setup. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../architecture/source-tree.ts';
import { redirectUri, requestsTo } from '../kit/auth/dev-auth.ts';
import { visitSignIn } from '../kit/auth-server/visitor.ts';
import { loneCall } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { type Demo, startDemo } from './demo-program.ts';

let demo: Demo;
let url: string;

beforeAll(async () => {
  demo = startDemo(['--auth']);
  url = await demo.printed('ready ');
});
afterAll(() => void demo.child.kill('SIGKILL'));

const add = (authorization?: string) => {
  const sent = loneCall('add', { a: 2, b: 3 });
  return send(url, { ...sent, headers: { ...sent.headers, ...(authorization !== undefined && { authorization }) } });
};

test('it prints the ready line, the link of the inspector and the command that signs in, and announces the authorization server', async () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  expect(await demo.printed('inspector ')).toContain(`${new URL(url).origin}/?token=`);
  expect(await demo.printed('Sign in and call it: ')).toBe(`node --import tsx examples/demo/sign-in.ts ${url}`);
  // Standard error is another pipe, which may be read later.
  await expect
    .poll(() => demo.errors())
    .toMatch(/^Development authorization server at http:\/\/127\.0\.0\.1:\d+: not for production/m);
});

test('a client without a token is led to the authorization server, signs in, and calls a tool [S22]', async () => {
  const refused = await add();
  const at = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate']))?.[1] ?? '';
  const document = await (await fetch(at)).json();
  expect([refused.status, document.resource]).toEqual([401, url]);
  const auth = await requestsTo(document.authorization_servers[0]);
  const client = await auth.register({ redirect_uris: [redirectUri] });
  const back = await visitSignIn(auth.authorization(client, { resource: url }));
  const { body } = await auth.redeem(client, back, { resource: url });
  const answer = await add(`Bearer ${body.access_token}`);
  expect(answer).toMatchObject({ status: 200, json: { result: { structuredContent: { sum: 5 } } } });
});

test('the printed command opens the sign-in, and calls a tool after it [S22]', async () => {
  const command = await demo.printed('Sign in and call it: node ');
  const signingIn = spawn(process.execPath, [...command.split(' '), '--no-browser'], { cwd: root });
  const output = text(signingIn.stdout);
  for await (const line of createInterface({ input: signingIn.stderr })) {
    const page = /^ +(http:\S+)$/.exec(line)?.[1];
    if (page === undefined) continue;
    await fetch(await visitSignIn(page, { user: 'grace' }));
    break;
  }
  expect(await output).toMatch(/^Signed in\. Tools: .*add.*\nadd 2 and 3: \{"sum":5\}\n$/);
});

test('it stops on SIGTERM, with its authorization server', async () => {
  demo.child.kill('SIGTERM');
  await once(demo.child, 'exit');
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
