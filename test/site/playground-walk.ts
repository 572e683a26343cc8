/** The playground in a browser, as a reader uses it: opened by a click, a call, a form, two versions compared. */
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A frame in a page, on a narrow screen with one pane at a time. */
interface Walked {
  readonly page: Page;
  readonly frame: FrameLocator;
  readonly outcome: Locator;
  readonly steps: Locator;
}

/** Ends with the comparison shown. */
export async function walkPlayground(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open the playground' }).click();
  const frame = page.frameLocator('iframe');
  const walked = {
    page,
    frame,
    outcome: frame.getByRole('region', { name: 'Result', exact: true }),
    steps: frame.getByRole('navigation', { name: 'First steps' }),
  };
  const { outcome } = walked;

  await frame.getByLabel('city').waitFor();
  expect(await frame.getByLabel('city').inputValue()).toBe('Oslo');
  await run(walked);
  await outcome.getByText('Wednesday').first().waitFor();
  await done(walked, 'Call a tool');

  await step(walked, 'Answer a form');
  await book(walked);
  await done(walked, 'Answer a form');

  await step(walked, 'Compare two versions');
  await frame.locator('.tab').nth(1).and(frame.locator('.here')).waitFor();
  await book(walked);
  await done(walked, 'Compare two versions');
  await outcome.getByRole('button', { name: 'Compare' }).click();
  await outcome.getByRole('button', { name: 'All messages of both' }).click();
  await frame.locator('.compare-pair.is-right', { hasText: 'elicitation/create' }).first().waitFor();
}

const run = ({ frame }: Walked): Promise<void> => frame.getByLabel('city').press('Control+Enter');

async function step({ steps }: Walked, title: string): Promise<void> {
  await steps.getByRole('button', { name: title }).click();
  await steps.locator('.next', { hasText: title }).waitFor();
}

const done = ({ steps }: Walked, title: string): Promise<void> => steps.locator('.done', { hasText: title }).waitFor();

async function book(walked: Walked): Promise<void> {
  const { page, frame, outcome } = walked;
  await frame.getByRole('heading', { name: 'Book' }).waitFor();
  await run(walked);
  await frame.getByRole('button', { name: 'Answer it' }).click();
  const questions = frame.getByRole('region', { name: 'Questions', exact: true });
  await questions.getByText('How many go to Bergen?').waitFor();
  await questions.getByLabel('people').fill('2');
  await page.keyboard.press('Control+Enter');
  await outcome.getByText('Bergen is booked for 2', { exact: true }).waitFor();
}
