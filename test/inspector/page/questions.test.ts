/** Questions in the page: each belongs to its call, is reached from it and by a shortcut, and its answer returns there. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { narrow, openPage } from './open-page.ts';
import { question, startSample } from './sample.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  if (executable !== undefined) browser = await startBrowser(executable);
});
afterAll(() => browser?.close());

async function opened(size = { width: 1280, height: 800 }) {
  const backend = await startSample();
  onTestFinished(() => backend.close());
  const { page } = await openPage(browser, backend, { size, hash: '#section=tools&name=book' });
  onTestFinished(() => page.close());
  const book = async (city: string): Promise<void> => {
    await page.getByLabel('city').fill(city);
    await page.keyboard.press('Control+Enter');
    await page.locator('.history-row', { hasText: city }).waitFor();
  };
  /** The card of the question for a city. */
  const card = (city: string) => page.locator('.question', { has: page.getByText(`book {"city":"${city}"}`) });
  return { backend, page, book, card };
}

const focused = "document.activeElement.closest('.question')?.id";
const widths = [
  ['a wide', { width: 1280, height: 800 }],
  ['a middle', { width: 820, height: 1100 }],
  ['a narrow', narrow],
] as const;

describe.skipIf(executable === undefined)('a question', () => {
  it.each(widths)('is shown by the call that it belongs to, and by no other, on %s screen', async (_, size) => {
    const { page, book, card, backend } = await opened(size);
    await book('Oslo');
    await book('Bergen');
    await card('Bergen').waitFor({ state: 'attached' });
    const answer = page.getByRole('region', { name: 'Result' }).getByRole('button', { name: 'Answer it' });
    // The newer call is shown first.
    await answer.click();
    await expect.poll(() => page.evaluate(focused)).toBe('question-q2');
    await page.keyboard.type('2');
    await page.keyboard.press('Control+Enter');
    await card('Bergen').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Result' }).getByText('Booked').waitFor();
    expect(await answer.count()).toBe(0);
    await page.locator('.history-row', { hasText: 'Oslo' }).click();
    await answer.click();
    await expect.poll(() => page.evaluate(focused)).toBe('question-q1');
    await page.keyboard.type('3');
    await page.keyboard.press('Control+Enter');
    await card('Oslo').waitFor({ state: 'detached' });
    expect(backend.calls.filter(({ name }) => name === 'answer').map(({ body }) => body)).toMatchObject([
      { question: 'q2', answer: { content: { people: 2 } } },
      { question: 'q1', answer: { content: { people: 3 } } },
    ]);
  });

  it.each(widths)('gets the focus by Alt+A, also while a field has it, on %s screen', async (_, size) => {
    const { page, book, card } = await opened(size);
    await book('Oslo');
    await card('Oslo').waitFor({ state: 'attached' });
    await page.getByLabel('city').focus();
    await page.keyboard.press('Alt+a');
    await expect.poll(() => page.evaluate(focused)).toBe('question-q1');
  });

  it('gets the focus by Alt+A if the run that is shown waits for it, also if another waits longer', async () => {
    const { page, book, card } = await opened();
    await book('Oslo');
    await book('Bergen');
    await card('Bergen').waitFor();
    await page.keyboard.press('Alt+a');
    await expect.poll(() => page.evaluate(focused)).toBe('question-q2');
    await page.locator('.history-row', { hasText: 'Oslo' }).click();
    await page.keyboard.press('Alt+a');
    await expect.poll(() => page.evaluate(focused)).toBe('question-q1');
  });

  it('that names no call says for which calls it may be, and each of them says so', async () => {
    const { page, book, backend, card } = await opened();
    await book('Oslo');
    await book('Bergen');
    await card('Bergen').waitFor();
    backend.emit({ type: 'question', question: question('q9', ['r1', 'r2']) });
    const unclear = page.locator('#question-q9');
    await unclear.getByText('It does not say for which of these calls:').waitFor();
    expect(await unclear.locator('.question-call').count()).toBe(2);
    await page.getByText('1 more question waits.').waitFor();
  });
});
