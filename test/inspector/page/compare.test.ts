/** Two conversations beside each other: aligned by message, with what differs, of runs, clients and captures. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { diffLines, linePairs, stretchesOf } from '../../../apps/inspector/src/result/diff.ts';
import { alignRows, comparable } from '../../../apps/inspector/src/timeline/compare/align.ts';
import type { Row } from '../../../src/inspector/api.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { openPage } from './open-page.ts';
import { rows, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

const row = (seq: number, from: 'client' | 'server', type: string, method: string, name?: string): Row =>
  ({ ...(rows[1] as Row), seq, from, type, method, ...(name !== undefined && { name }) }) as Row;

describe('messages of two conversations', () => {
  it('are beside each other if direction, kind, method and name are the same', () => {
    const left = [
      row(1, 'client', 'request', 'tools/call', 'book'),
      row(2, 'server', 'response', 'tools/call', 'book'),
    ];
    const right = [
      row(11, 'client', 'request', 'tools/call', 'book'),
      row(12, 'server', 'request', 'elicitation/create'),
      row(13, 'client', 'response', 'elicitation/create'),
      row(14, 'server', 'error', 'tools/call', 'book'),
    ];
    expect(alignRows(left, right).map((pair) => [pair.left?.seq, pair.right?.seq])).toEqual([
      [1, 11],
      [undefined, 12],
      [undefined, 13],
      [2, 14],
    ]);
  });

  it('are compared without ids and tokens, which are never the same', () => {
    const message = (id: number, token: string) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'a', params: { _meta: { progressToken: token }, b: [1] } });
    expect(comparable(message(1, 'x'))).toEqual(comparable(message(2, 'y')));
    expect(comparable('no JSON')).toBe('no JSON');
  });

  it('have removed lines beside those that took their place, and fold what is the same', () => {
    const same = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const pairs = linePairs(diffLines([...same, 'old', 'gone'], [...same, 'new']));
    expect(pairs.slice(-2)).toEqual([
      { before: 'old', after: 'new', isSame: false },
      { before: 'gone', isSame: false },
    ]);
    expect(stretchesOf(pairs).map(({ isFolded, pairs: { length } }) => [isFolded, length])).toEqual([
      [true, 17],
      [false, 5],
    ]);
  });
});

describe.skipIf(executable === undefined)('comparing in the page', () => {
  it('shows the results of two runs, then all messages of both in a timeline that has the page', async () => {
    const results = [{ content: [{ type: 'text', text: 'one' }] }, { content: [{ type: 'text', text: 'two' }] }];
    const backend = await startSample({
      answers: {
        result: ({ run }) => ({
          run: { id: run, client: 'c1', request: { kind: 'resource', uri: 'a' }, status: 'done', startedAt: 0 },
          result: results[run === 'r1' ? 0 : 1] ?? {},
        }),
      },
    });
    onTestFinished(() => backend.close());
    const { page } = await openPage(browser, backend);
    onTestFinished(() => page.close());
    const outcome = page.getByRole('region', { name: 'Result' });
    await page.getByLabel('city').waitFor();
    await page.keyboard.press('Control+Enter');
    await outcome.getByText('one', { exact: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    await outcome.getByText('two', { exact: true }).waitFor();
    await outcome.getByRole('button', { name: 'Compare' }).click();
    await outcome.locator('.diff-before', { hasText: 'one' }).waitFor();
    await outcome.locator('.diff-after', { hasText: 'two' }).waitFor();
    await outcome.getByRole('button', { name: 'All messages of both' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.locator('.compare-pair').nth(1).waitFor();
    expect(await page.getByRole('main').isVisible()).toBe(false);
    expect(await timeline.locator('.compare-pair .chip').allInnerTexts()).toEqual(['same', 'same']);
    await timeline.getByLabel('Left side').selectOption('client c1');
    await expect.poll(() => timeline.locator('.compare-pair').count()).toBe(9);
    await timeline.locator('.compare-pair.is-left').first().getByRole('button').click();
    await timeline.locator('.compare-whole').getByText('"server/discover"').waitFor();
    await timeline.getByRole('button', { name: 'Make the timeline small again' }).click();
    await outcome.waitFor();
  });
});
