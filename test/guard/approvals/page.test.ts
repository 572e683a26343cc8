/** The page of approvals in Chromium, beside a server on node:http: a person signs in, reads the call, and decides. */
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { connect, serveHttp, toText } from 'tenon';
import { toApprovalListener } from 'tenon/guard';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { ada, approving, eve, grace, pendingIn } from './kit.ts';

const users: Readonly<Record<string, object>> = { ada, eve, grace };

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

/** A server with approvals, and a caller of it. Users sign in by their name, as Basic authentication. */
async function stage() {
  const made = approving();
  const decide = toApprovalListener(made.guarded.approvals, {
    authenticate({ headers }) {
      const [, credentials = ''] = /^Basic (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
      const user = users[Buffer.from(credentials, 'base64').toString().split(':')[0] ?? ''];
      return (user as never) ?? new Response('', { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } });
    },
  });
  const service = await serveHttp(made.server, {
    port: 0,
    notFound: (request, response) => void (decide(request, response) || response.writeHead(404).end()),
  });
  const client = await connect(service.url);
  onTestFinished(async () => {
    await client.close();
    await service.close();
  });
  return { ...made, client, origin: new URL(service.url).origin };
}

async function opened(username: string, width: number): Promise<Page> {
  const page = await browser.open('page.example');
  const browserOf = page.context().browser();
  await page.close();
  const context = await browserOf?.newContext({
    httpCredentials: { username, password: 'x' },
    viewport: { width, height: 844 },
    colorScheme: width < 500 ? 'dark' : 'light',
  });
  if (context === undefined) throw new Error('There is no browser.');
  onTestFinished(() => context.close());
  return context.newPage();
}

/** For a person who looks at them: AUTH_PICTURES=folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.AUTH_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

describe.skipIf(executable === undefined)('the page of approvals', () => {
  it.each([1280, 390])('lets another person read exactly the call and approve it, at %i pixels', async (width) => {
    const { client, origin, ran, guarded } = await stage();
    const given = { env: `${'prod-'.repeat(40)}\u202e<script>`, list: ['web', 'mail'] };
    const { id } = pendingIn(await client.tools.call('deploy', given)) as { id: string };
    const page = await opened('grace', width);
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await page.goto(`${origin}/approvals`);
    await page.getByText('{ "env": "prod-prod-').waitFor();
    await picture(page, `walk-list-${width}`);
    await page.getByRole('link', { name: 'deploy of ops' }).click();
    await page.getByRole('heading', { name: 'Run this call?' }).waitFor();
    expect(await page.locator('pre').first().innerText()).toContain('\\u202e<script>"');
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
    expect(violations.map(({ id: rule }) => rule)).toEqual([]);
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(width);
    await picture(page, `walk-call-${width}`);
    await page.getByLabel(/^Reason/).fill('As agreed');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Not used yet').waitFor();
    expect(page.url()).toBe(`${origin}/approvals/${id}`);
    await picture(page, `walk-approved-${width}`);
    expect(toText(await client.tools.call('deploy', given))).toBe('deploy has run');
    await page.reload();
    await page.getByText(/^Used /).waitFor();
    await picture(page, `walk-used-${width}`);
    await page.getByRole('link', { name: 'All approvals' }).click();
    await page.getByText('No call waits for you.').waitFor();
    expect([ran.length, (await guarded.approvals.get(id, grace)).decision?.reason, complaints]).toEqual([
      1,
      'As agreed',
      [],
    ]);
  });

  it('by the keyboard alone a call is denied, and its caller reads the reason', async () => {
    const { client, origin, guarded } = await stage();
    const { id } = pendingIn(await client.tools.call('deploy', {})) as { id: string };
    const page = await opened('grace', 1280);
    await page.goto(`${origin}/approvals/${id}`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Too late');
    // The key that ends a line decides nothing.
    await page.keyboard.press('Enter');
    expect((await guarded.approvals.get(id, grace)).state).toBe('waiting');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Deny');
    await page.keyboard.press('Enter');
    await page.getByText('The call does not run').waitFor();
    await expect(client.tools.call('deploy', {})).rejects.toMatchObject({
      message: expect.stringContaining('Too late'),
    });
  });

  it('a leaked link shows and decides nothing for others, and a form of another site decides nothing', async () => {
    const { client, origin, guarded } = await stage();
    const { id } = pendingIn(await client.tools.call('deploy', { env: 'secret' })) as { id: string };
    const other = await opened('eve', 390);
    await other.goto(`${origin}/approvals/${id}`);
    await other.getByText(`There is no approval ${id} that you may decide.`).waitFor();
    await picture(other, 'walk-leaked-390');
    expect(await other.content()).not.toContain('secret');
    // The approver is signed in, and visits a page of an attacker.
    const page = await opened('grace', 1280);
    await page.goto(`${origin}/approvals`);
    await page.goto(browser.origin('evil.example'));
    const answer = page.waitForResponse((response) => response.url().includes(id));
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = '${origin}/approvals/${id}';
      form.innerHTML = '<input name="decision" value="approve">';
      document.body.append(form);
      form.submit();
    })()`);
    expect((await answer).status()).toBe(403);
    expect((await guarded.approvals.get(id, grace)).state).toBe('waiting');
  });
});
