/** 100,000 messages in the page, fewer in `npm run test:system`: few rows in the document, filtered beside it, and the state at any moment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveInspector } from '../../../src/inspector/index.ts';
import { emptyHistory, foldEvent } from '../../../src/protocol/history/fold.ts';
import type { History } from '../../../src/protocol/history/state.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { inWords, scaled } from '../../kit/long.ts';
import { openLink } from '../page/open-page.ts';
import { type LongCapture, longCapture, seededNumbers } from './long-capture.ts';

const messages = scaled(20_000, 100_000);
/** Rows in view, and those beside them so that scrolling shows no gap. */
const mostRows = 60;

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

/** Runs in the page before its own scripts: answers of workers wait while `isHeld`. */
function holdWorkers(): void {
  const held: (() => void)[] = [];
  const hold = { isHeld: false, count: 0, release: () => held.splice(0).forEach((run) => void run()) };
  Object.assign(globalThis, { hold });
  const own = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage');
  Object.defineProperty(Worker.prototype, 'onmessage', {
    set(handler: (event: MessageEvent) => void) {
      own?.set?.call(this, (event: MessageEvent) => {
        hold.count++;
        if (hold.isHeld) held.push(() => handler(event));
        else handler(event);
      });
    },
  });
}

interface Hold {
  isHeld: boolean;
  count: number;
  release(): void;
}
declare const hold: Hold;

const chosenMoments = (last: number): number[] => {
  const below = seededNumbers(7);
  const moments = Array.from({ length: scaled(6, 200) }, () => 1 + below(last)).sort((a, b) => a - b);
  // Nothing is fetched again for the moment that is shown already.
  return [...new Set(moments)];
};

/** The states at moments in ascending order, folded from the beginning. */
function* folded({ events }: LongCapture, moments: readonly number[]): Generator<History> {
  let state = emptyHistory;
  let at = 0;
  for (const seq of moments) {
    for (; at < seq; at++) state = foldEvent(state, events[at] as LongCapture['events'][number]);
    yield state;
  }
}

async function moveTo(page: Page, seq: number): Promise<History> {
  const asked = page.waitForResponse(
    (response) => response.url().endsWith('/api/state') && response.request().postDataJSON().seq === seq,
  );
  await page.getByRole('slider', { name: 'Moment' }).evaluate((slider, value) => {
    Object.assign(slider, { value: String(value) });
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  }, seq - 1);
  return (await (await asked).json()).result;
}

describe.skipIf(executable === undefined)(`a capture of ${inWords(messages)} messages`, () => {
  it('is opened, scrolled, filtered in a worker and scrubbed [S32]', {
    timeout: scaled(120_000, 600_000),
  }, async () => {
    const capture = longCapture(messages);
    const folder = mkdtempSync(join(tmpdir(), 'tenon-many-'));
    const inspector = await serveInspector();
    const { page, complaints } = await openLink(browser, inspector.url, { script: holdWorkers });
    try {
      const timeline = page.getByRole('region', { name: 'Timeline' });
      // A file, since Playwright takes half a minute to pass such a text to the page.
      const file = join(folder, 'many.mcp.ndjson');
      writeFileSync(file, capture.text);
      await page.getByLabel('Capture', { exact: true }).setInputFiles(file);
      await timeline.getByText(`${messages} of ${capture.events.length} rows`).waitFor({ timeout: 60_000 });

      // Few rows are in the document, wherever it is scrolled to.
      const rows = timeline.locator('.row');
      for (const share of [0, 0.37, 1]) {
        await timeline
          .getByRole('listbox')
          .evaluate((box, part) => box.scrollTo({ top: box.scrollHeight * part }), share);
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        expect(await rows.count()).toBeLessThan(mostRows);
        expect(await rows.count()).toBeGreaterThan(5);
      }

      // While the worker's answers wait, so does the filter: nothing is filtered in the page itself.
      const count = timeline.getByRole('status');
      const before = await page.evaluate(() => {
        hold.isHeld = true;
        return hold.count;
      });
      await timeline.getByLabel('Which rows').selectOption('errors');
      await page.waitForFunction((answers) => hold.count > answers, before);
      expect(await count.innerText()).toBe(`${messages} of ${capture.events.length} rows`);
      await page.evaluate(() => {
        hold.isHeld = false;
        hold.release();
      });
      const errors = capture.events.filter(isError).length;
      expect(errors).toBeGreaterThan(1000);
      await timeline.getByText(`${errors} of ${capture.events.length} rows`).waitFor();
      expect(await rows.count()).toBeLessThan(mostRows);
      // The moment moves from row to row.
      await timeline.getByLabel('Which rows').selectOption('all');
      await timeline.getByText(`${capture.events.length} rows`, { exact: true }).waitFor();

      // The state at any moment is the one that a fold of everything before it gives.
      const moments = chosenMoments(capture.events.length);
      const states = folded(capture, moments);
      for (const seq of moments) {
        const state = states.next().value as History;
        expect(await moveTo(page, seq)).toEqual(JSON.parse(JSON.stringify(state)));
        const { messages: all, requests, errors: failed } = state.connections[1]?.counts ?? ({} as never);
        await timeline.getByText(`${all}, ${requests} requests, ${failed} errors`).first().waitFor();
      }
      expect(complaints).toEqual([]);
    } finally {
      await page.close();
      await inspector.close();
      rmSync(folder, { recursive: true });
    }
  });
});

const isError = (event: LongCapture['events'][number]): boolean => {
  if (event.kind !== 'message') return false;
  const m = event.m as { readonly error?: unknown; readonly result?: { readonly isError?: boolean } };
  return m.error !== undefined || m.result?.isError === true;
};
