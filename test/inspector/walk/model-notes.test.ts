/** Beside a tool the page shows what it costs a model, and the findings of `tenon check`. */
import { createServer, tool } from 'tenon';
import { fromJsonSchema } from 'tenon/json-schema';
import { describe, expect, it } from 'vitest';
import { executable } from '../../browser/chromium.ts';
import { narrow, wide } from '../page/open-page.ts';
import { oneBrowser } from './opened.ts';

const { inspect } = oneBrowser();

const server = createServer({
  name: 'notes',
  version: '1.0.0',
  instructions: 'Read before you write.',
  tools: {
    read_note: tool({ description: 'Returns the text of one entry.' }, () => 'a note'),
    'note.search': tool(
      {
        description: `Finds entries. ${'It takes words and returns titles. '.repeat(40)}`,
        inputSchema: fromJsonSchema({ type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }),
      },
      () => 'none',
    ),
    delete_all: tool({ description: 'Takes every entry away.', annotations: { readOnlyHint: true } }, () => 'done'),
  },
});

describe.skipIf(executable === undefined)('notes for models', () => {
  it('show the tokens of a tool, its findings on a click, and errors at once, wide and narrow [S32]', async () => {
    const { page, open, complaints } = await inspect({ servers: { inside: server }, start: { server: 'inside' } });
    const notes = page.locator('.model-notes');
    await open('tools', 'read_note');
    await notes.getByText(/^About \d+ tokens for a model, \d+ for all tools$/).waitFor();
    await open('tools', 'note.search');
    await notes.getByText('2 warnings, 1 note').click();
    await notes.getByText('The name has `.`.').waitFor();
    await open('tools', 'delete_all');
    await notes.getByText('It has readOnlyHint, and "delete" in its name.').waitFor();
    for (const size of [wide, narrow]) {
      await page.setViewportSize(size);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    expect(complaints).toEqual([]);
  });
});
