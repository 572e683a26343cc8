/** Connecting as a person does: a URL, HTTP+SSE, a command, a configuration file, in memory, a chosen version; and sign-in. */
import { createServer, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { startDemo } from '../../examples/demo-program.ts';
import { v1Server } from '../../kit/peers/programs.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { type Opened, oneBrowser } from './opened.ts';
import { createWalkServer } from './walk-server.ts';

const { inspect, visit } = oneBrowser();
const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' ');

const form = ({ page }: Opened) => page.locator('.item-pane.connect');

/** Goes to the form, fills it in, and presses its button. */
async function submit(walker: Opened, target: string, version?: string): Promise<void> {
  const { page } = walker;
  await page.getByRole('navigation', { name: 'Clients' }).getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByLabel('URL or command').fill(target);
  if (version !== undefined) await page.getByLabel('Protocol version').selectOption(version);
  await form(walker)
    .getByRole('button', { name: /^Connect/ })
    .click();
}

/** To a URL: nothing is asked. */
async function connect(walker: Opened, target: string, version?: string): Promise<void> {
  await submit(walker, target, version);
  await form(walker).waitFor({ state: 'detached' });
}

const facts = ({ page }: Opened) => page.locator('.server .facts').first();

describe.skipIf(executable === undefined)('connecting in the page', () => {
  it('to a URL with a chosen version, to HTTP+SSE, and to a server in memory, at once [S32]', async () => {
    const service = await serveHttp(createWalkServer(), { port: 0 });
    onTestFinished(() => service.close());
    const server = createServer({ name: 'inside', version: '1', tools: { here: tool({}, () => 'in memory') } });
    const walker = await inspect({ servers: { inside: server } });
    const { page, go, open, run, outcome, complaints } = walker;
    await page.getByRole('button', { name: /^inside in memory/ }).click();
    await open('tools', 'here');
    await run();
    await outcome.getByText('in memory', { exact: true }).waitFor();

    await connect(walker, service.url, '2025-03-26');
    await go('server');
    await facts(walker).getByText('2025-03-26 (chosen)').waitFor();

    await connect(walker, service.url.replace(/\/mcp$/, '/sse'));
    await go('server');
    await facts(walker).getByText('(negotiated)').waitFor();
    await page.getByRole('button', { name: 'Ping' }).click();
    await page.getByText(/^answered in /).waitFor();
    await page.getByLabel('Which rows').selectOption('all');
    await page.getByLabel('Search the timeline').fill('GET /sse');
    await page.locator('.row', { hasText: 'GET /sse' }).first().waitFor();
    expect(await page.getByRole('navigation', { name: 'Clients' }).locator('.tab').count()).toBe(3);
    expect(complaints).toEqual([]);
  });

  it('to a command, which is shown in full and confirmed, and to a server of a configuration file', async () => {
    const { command, args } = v1Server();
    const configured = async () => [
      { name: 'filed', file: '/home/ada/.mcp.json', client: 'project', target: { command, args } },
    ];
    const walker = await inspect({ configured });
    const { page, complaints } = walker;
    const dialog = page.getByRole('dialog', { name: 'Start this program?' });
    const tabs = page.getByRole('navigation', { name: 'Clients' }).locator('.tab');
    await submit(walker, quoted([command, ...args]));
    await dialog.getByText(args.at(-1) ?? '').waitFor();
    expect(await dialog.innerText()).toContain(command);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await tabs.count()).toBe(0);
    await page.getByRole('button', { name: /^Connect…$/ }).click();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.locator('.list-row').first().waitFor();

    await page
      .getByRole('navigation', { name: 'Clients' })
      .getByRole('button', { name: 'Connect', exact: true })
      .click();
    await page.getByRole('button', { name: /^filed / }).click();
    await dialog.getByText(args.at(-1) ?? '').waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await tabs.nth(1).waitFor();
    await page.locator('.list-row').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('that fails says at which step and why, and can be tried again', async () => {
    const walker = await inspect();
    const { page } = walker;
    await connect(walker, 'http://127.0.0.1:1/mcp');
    const alert = page.getByRole('alert');
    await alert.getByText('connect', { exact: true }).waitFor();
    expect(await alert.innerText()).toMatch(/refused|Nothing listens/i);
    await page.getByRole('button', { name: 'Connect again' }).last().click();
    await alert.getByText('connect', { exact: true }).waitFor();
  });

  it('to a server that requires a sign-in shows each step as it happens, and calls a tool afterwards [S32]', async () => {
    const demo = startDemo(['--auth']);
    onTestFinished(() => void demo.child.kill('SIGKILL'));
    const { page, questions, open, run, outcome } = await visit(
      await withTimeout(demo.printed('inspector '), 'the link'),
    );
    await questions.getByText('requires a sign-in').waitFor();
    const steps = page.getByRole('region', { name: 'Sign-in', exact: true });
    await steps.getByText('registration', { exact: true }).waitFor();
    await steps.getByText('401', { exact: true }).waitFor();
    expect(await steps.getByText('token', { exact: true }).count()).toBe(0);
    const [authority] = await Promise.all([
      page.context().waitForEvent('page'),
      questions.getByRole('link', { name: /^Open 127\.0\.0\.1/ }).click(),
    ]);
    await authority.locator('button[value=allow]').click();
    await authority.locator('button[name=user]').first().click();
    await authority.getByRole('button', { name: 'Allow' }).click();
    await questions.getByText('requires a sign-in').waitFor({ state: 'detached' });
    await open('tools', 'Weather');
    await run();
    await outcome.getByText('It is sunny in Oslo', { exact: true }).waitFor();
    await page.keyboard.press('Alt+5');
    await steps.getByText('token', { exact: true }).waitFor();
    const shown = await steps.locator('strong').allInnerTexts();
    const inOrder = ['challenge', 'resource-metadata', 'server-metadata', 'registration', 'token'];
    expect(shown.filter((step) => inOrder.includes(step))).toEqual(inOrder);
  });
});
