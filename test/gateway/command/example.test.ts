/** `npm start -- --gateway`: three upstreams for two users, without npm and the setup. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { oauth } from 'tenon/auth';
import { signInAtDevAuth } from 'tenon/dev-auth';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { redirectUri } from '../../kit/auth/redirect-uri.ts';
import { Browser, formIn, locationOf } from '../credentials/browser.ts';
import { clientOf, textOf } from './serving.ts';

/** The lines that it prints, by how they begin. */
async function started(): Promise<(beginning: string) => string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/gateway/main.ts'], { cwd: root });
  onTestFinished(() => void child.kill('SIGTERM'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => void (errors += text));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith('Health')) break;
  }
  return (beginning) => {
    const found = lines.find((line) => line.startsWith(beginning));
    if (found === undefined) throw new Error(`${beginning} was not printed: ${lines.join('\n')}\n${errors}`);
    return found.slice(beginning.length).trim();
  };
}

it('serves three upstreams to two users, each with an account of their own', async () => {
  const printed = await started();
  const url = printed('ready');
  expect(printed('inspector')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/);
  const page = printed('Sign in as ada or grace. Connect their accounts for notes:');
  const callerOf = (user: string) =>
    clientOf({
      url,
      auth: oauth({
        signIn: {
          prepare: async () => ({
            redirectUri,
            authorize: (at) => signInAtDevAuth(at, { user }),
            close: async () => {},
          }),
        },
      }),
    });
  const connect = async (user: string, link: string): Promise<void> => {
    const browser = new Browser();
    await browser.get(await signInAtDevAuth(locationOf(await browser.get(page)), { user }));
    const question = await browser.get(link);
    const toNotes = await browser.post(`${page}/to/notes`, { ...formIn(question), answer: 'connect' });
    expect((await browser.get(await signInAtDevAuth(locationOf(toNotes), { user }))).status).toBe(303);
  };
  for (const user of ['ada', 'grace']) {
    const client = await callerOf(user);
    const error = await client.tools.call('notes__add', { text: 'x' }).catch((thrown) => thrown);
    await connect(user, error.data.connectUrl);
    expect(textOf(await client.tools.call('notes__add', { text: 'x' }))).toBe(`${user} has 1 notes`);
    expect(textOf(await client.tools.call('pets__list_pets', { kind: 'dog' }))).toContain('Rex');
    expect(textOf(await client.tools.call('clock__time', {}))).toMatch(/^\d\d:\d\d:\d\d$/);
  }
});
