import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pages } from '../../scripts/docs/pages.ts';
import { tenonErrors } from '../../src/lib/errors/tenon-error.ts';
import { rpcErrorReasons } from '../../src/protocol/error-meanings.ts';
import { root } from '../architecture/source-tree.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('Generated pages', () => {
  it.each(Object.keys(pages))('%s is up to date with the code (npm run docs)', (path) => {
    expect(text(path)).toBe(pages[path]?.());
  });

  it('list every error, and no other [S29]', () => {
    const [tables = ''] = text('docs/errors.md').split('### Data');
    const named = [...tables.matchAll(/^\| `([a-z-]+|[a-z]+-utf8)` /gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...Object.keys(tenonErrors), ...Object.keys(rpcErrorReasons)].sort());
  });
});
