/** The page of dialects has every name that can be chosen, and is linked from where a reader looks for it. */
import { readFileSync } from 'node:fs';
import { errorCodeTables } from 'tenon/protocol';
import { expect, it } from 'vitest';
import { clientDialects, serverDialects } from '../../src/protocol/dialects/compat-options.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('names every dialect and table, and the documents by their titles [S29]', () => {
  const page = read('docs/dialects.md');
  for (const name of [...serverDialects, ...clientDialects, ...Object.keys(errorCodeTables)])
    expect(page).toMatch(new RegExp(`['\`]${name}['\`]`));
  for (const title of [
    'MCP Protocol Specifications',
    'MCP Protocol Details',
    'Model Context Protocol v2025-06-18',
    'Protocol Specification',
    'MCP Protocol Fundamentals',
  ])
    expect(page).toContain(`"${title}"`);
});

it.each([
  'README.md',
  'docs/guide/README.md',
  ...['clients', 'hosts', 'http', 'cli'].map((page) => `docs/guide/${page}.md`),
])('is linked from %s', (path) => {
  expect(read(path)).toMatch(/\]\((?:docs|\.\.)\/dialects\.md(?:#[\w-]+)?\)/);
});
