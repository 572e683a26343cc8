/** A command in an error can be typed again, and holds no secret. */
import { expect, it } from 'vitest';
import { commandLine } from './command-line.ts';

it('writes a command as a person would type it', () => {
  expect(commandLine({ command: 'node', args: ['server.js', '--name', 'two words', ''] })).toBe(
    'node server.js --name "two words" ""',
  );
});

it('cuts an argument that is long', () => {
  expect(commandLine({ command: 'node', args: ['x'.repeat(5000)] })).toBe(`node ${'x'.repeat(200)}…`);
});

it.each([
  [['--api-key=sesame'], 'run --api-key=…'],
  [['--api-key', 'sesame', '--port', '80'], 'run --api-key … --port 80'],
  [['-token', 'sesame'], 'run -token …'],
  [['--token', '--verbose'], 'run --token --verbose'],
  [['GITHUB_TOKEN=sesame'], 'run GITHUB_TOKEN=…'],
  [['--header', 'Authorization: Bearer sesame'], 'run --header Authorization:…'],
  [['sk-abcdefghijklmnopqrstuvwx'], 'run …'],
  [['https://user:sesame@example.com/mcp'], 'run https://…@example.com/mcp'],
  [['https://example.com/mcp', '--name=keyboard.js'], 'run https://example.com/mcp --name=keyboard.js'],
])('shows %j as %s', (args, shown) => {
  expect(commandLine({ command: 'run', args })).toBe(shown);
});
