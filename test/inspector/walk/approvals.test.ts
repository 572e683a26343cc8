/** An approver in the page of the inspector: sees exactly the call that waits, and lets it run once. */
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { approving, grace } from '../../guard/approvals/kit.ts';
import { narrow, wide } from '../page/open-page.ts';
import { oneBrowser } from './opened.ts';

const { inspect } = oneBrowser();

describe.skipIf(executable === undefined)('approvals', () => {
  it('wait in the page, and a call that is approved there runs once', async () => {
    const { server, guarded, ran } = approving({ waitMs: 300_000 });
    const { page, open, run, outcome, complaints } = await inspect({
      servers: { ops: server },
      start: { server: 'ops', call: { tool: 'deploy', arguments: { env: 'a\u202eb' } } },
      approvals: { from: guarded.approvals, approver: grace },
    });
    const region = page.getByRole('region', { name: 'Approvals' });
    await region.getByText('Calls that grace can approve appear here.').waitFor();
    await open('tools', 'deploy');
    await run();
    const waiting = region.getByRole('article');
    await waiting.getByText('"env": "a\\u202eb"').waitFor();
    expect(ran).toEqual([]);
    // For a person who looks at it: AUTH_PICTURES=folder.
    const folder = process.env.AUTH_PICTURES;
    if (folder !== undefined)
      for (const size of [wide, narrow]) {
        await page.setViewportSize(size);
        if (size === narrow)
          await page
            .getByRole('button', { name: /Activity/ })
            .click()
            .catch(() => undefined);
        await page.screenshot({ path: `${folder}/inspector-approval-${size.width}.png` });
      }
    await page.setViewportSize(wide);
    await waiting.getByRole('button', { name: 'Approve once' }).click();
    await outcome.getByText('deploy has run').waitFor();
    await region.getByText('Calls that grace can approve appear here.').waitFor();
    expect(ran).toEqual(['deploy {"env":"a\u202eb"}']);
    await run();
    await waiting.getByRole('button', { name: 'Deny' }).click();
    await outcome.getByText(/was denied: exactly this call does not run before/).waitFor();
    expect(ran).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it('are not in the page of an inspector without them', async () => {
    const { server } = approving();
    const { page, complaints } = await inspect({ servers: { ops: server }, start: { server: 'ops' } });
    await page.getByRole('region', { name: 'Questions' }).waitFor();
    expect(await page.getByRole('region', { name: 'Approvals' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
