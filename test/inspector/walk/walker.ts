/** A page that a test walks through as a person does: rooms, items, Run, the result, and what waits at the side. */
import type { Locator, Page } from 'playwright-core';

export interface Walker {
  readonly page: Page;
  /** The result of the item that is open. */
  readonly outcome: Locator;
  readonly questions: Locator;
  readonly tasks: Locator;
  readonly timeline: Locator;
  /** Opens an item of the list of a room. */
  open(room: Room, title: string | RegExp): Promise<void>;
  /** Ctrl+Enter. */
  run(): Promise<void>;
  /** Goes to a room by its shortcut. */
  go(room: Room | 'server'): Promise<void>;
}

type Room = 'tools' | 'resources' | 'prompts' | 'apps';

const keys = { tools: 1, resources: 2, prompts: 3, apps: 4, server: 5 } as const;

export function walk(page: Page): Walker {
  const region = (name: string): Locator => page.getByRole('region', { name, exact: true });
  const go: Walker['go'] = (room) => page.keyboard.press(`Alt+${keys[room]}`);
  return {
    page,
    outcome: region('Result'),
    questions: region('Questions'),
    tasks: region('Tasks'),
    timeline: region('Timeline'),
    go,
    async open(room, title) {
      await go(room);
      const row = region(room)
        .locator('.list-row')
        .filter({ has: page.locator('.list-title', { hasText: title }) });
      await row.first().click();
      await page.locator('.item-head').waitFor();
    },
    run: () => page.keyboard.press('Control+Enter'),
  };
}
