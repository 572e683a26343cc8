/** The published servers of the official project, as they are on npm: every tool, prompt and template is converted. */
import { describe, expect, it } from 'vitest';
import { type Migration, migrate, type SourceText } from '../../packages/tenon-migrate/src/migrate.ts';
import { filesOf } from './running-program.ts';

const registrations = (files: readonly SourceText[], method: string): number =>
  files.reduce((total, { text }) => total + text.split(`.${method}(`).length - 1, 0);

const servers = [
  { name: 'server-memory', converted: { tools: 9, prompts: 0, resources: 1, resourceTemplates: 0 }, left: 3 },
  { name: 'server-filesystem', converted: { tools: 14, prompts: 0, resources: 0, resourceTemplates: 0 }, left: 3 },
  { name: 'server-everything', converted: { tools: 18, prompts: 4, resources: 1, resourceTemplates: 2 }, left: 39 },
];

describe.each(servers)('$name', ({ name, converted, left }) => {
  const files = filesOf(name);
  const migrated = (tidy: boolean): Migration => migrate(files, { tidy });

  it('is converted, and what is left is reported', async ({ annotate }) => {
    const started = performance.now();
    const migration = migrated(false);
    const seconds = ((performance.now() - started) / 1000).toFixed(2);
    expect(migration.failures).toEqual([]);
    expect(migration.converted).toEqual(converted);
    expect(migration.findings).toHaveLength(left);
    // One resource of server-everything is removed later by what its registration returns.
    const stay = name === 'server-everything' ? 1 : 0;
    const all = ['registerTool', 'registerPrompt', 'registerResource'].map((method) => registrations(files, method));
    expect(all.reduce((a, b) => a + b)).toBe(Object.values(converted).reduce((a, b) => a + b) + stay);
    await annotate(`${name}: ${JSON.stringify(converted)}, ${left} places left, ${seconds} s`, 'figure');
  });

  it.each([false, true])('changes nothing in a second run, with tidy: %s', (tidy) => {
    const { changed } = migrated(tidy);
    const after = files.map((file) => changed.find(({ path }) => path === file.path) ?? file);
    expect(migrate(after, { tidy }).changed).toEqual([]);
  });
});

it('--tidy makes one definition of the tools of server-memory and server-filesystem', () => {
  for (const name of ['server-memory', 'server-filesystem']) {
    const { changed } = migrate(filesOf(name), { tidy: true });
    const text = changed.find(({ path }) => path === 'index.js')?.text ?? '';
    expect(text.match(/^ {4}\w+: tool\(/gm)).toHaveLength(name === 'server-memory' ? 9 : 14);
    expect(text).not.toContain('draft.tools');
  }
});
