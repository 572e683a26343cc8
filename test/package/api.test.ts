/** The public API is the one in `api`, and what is removed from it is announced. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unannounced } from '../../scripts/api/changes.ts';
import { apiReports } from '../../scripts/api/report.ts';
import { root } from '../architecture/source-tree.ts';

const folder = join(root, 'api');
const reports = apiReports(root);

describe('the public API', () => {
  it('has a report for each entry point, and no other', () => {
    expect(readdirSync(folder).sort()).toEqual([...reports.keys()].map((name) => `${name}.txt`).sort());
  });

  it.each([...reports])('of %s is the one in its report: `npm run api` updates it', (name, text) => {
    const path = join(folder, `${name}.txt`);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(text);
  });

  it('has members, overloads, types without a public name, and references to other entries', () => {
    const [node = '', server = ''] = [reports.get('tenon'), reports.get('server')];
    expect(node).toMatch(/^connect: function<S/m);
    expect(node).toMatch(/^HttpService \{ readonly url: string \}$/m);
    expect(node).toMatch(/^tool: as in tenon\/server$/m);
    expect(server).toMatch(/^tool: const </m);
    expect(server).not.toContain('/** ');
  });
});

describe('a removed or changed line', () => {
  const before = 'connect: function(url: string): Client\nClient { close(): void }\n';
  const after = 'connect: function(url: URL): Client\nClient { close(): void }\nClient { ping(): void }\n';
  const changelog = (breaking: string): string =>
    `# Changelog\n\n## Unreleased\n\n${breaking}\n\n**Added**\n\n- \`connect\`\n\n## 0.1.0 (date)\n\n**Breaking**\n\n- \`connect\`\n`;

  it('needs an entry under "Breaking" of what is not released, with its name', () => {
    expect(unannounced(before, after, changelog(''))).toEqual(['connect: function(url: string): Client']);
    expect(unannounced(before, after, changelog('**Breaking**\n\n- `connector` is new.'))).toHaveLength(1);
    expect(unannounced(before, after, changelog('**Breaking**\n\n- `connect` takes a `URL`.'))).toEqual([]);
  });

  it('needs none if a line is only added, or nothing was released yet', () => {
    expect(unannounced('', after, changelog(''))).toEqual([]);
    expect(unannounced(before, '', '# Changelog\n\n## Unreleased\n')).toEqual([]);
  });
});
