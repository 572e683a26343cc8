/** A command in an error message can be typed again, and contains no secret. */
import { expect, it } from 'vitest';
import { commandLine } from './command-line.ts';

it('writes a command as a user would type it', () => {
  expect(commandLine({ command: 'node', args: ['server.js', '--name', 'two words', ''] })).toBe(
    'node server.js --name "two words" ""',
  );
});

it('shortens a long argument', () => {
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

it.each([
  [['https://h/mcp?api_key=sesame'], 'run "https://h/mcp?api_key=…"'],
  [['postgresql://localhost/db?password=sesame'], 'run "postgresql://localhost/db?password=…"'],
  [['--url=https://u:sesame@h'], 'run --url=https://…@h'],
  [['--header=Authorization: Bearer sesame'], 'run --header=Authorization:…'],
  [['--header', 'X-Custom: Bearer sesame'], 'run --header "X-Custom: Bearer …"'],
  [['-H', 'X-Api-Key: sesame'], 'run -H X-Api-Key:…'],
  [['--env=API_KEY=sesame'], 'run --env=API_KEY=…'],
  [['-e', 'DB_PASS=sesame'], 'run -e DB_PASS=…'],
  [['{"port":1,"apiKey":"sesame"}'], 'run "{\\"port\\":1,\\"apiKey\\":…"'],
  [['{"headers": {"Authorization" : "sesame"}}'], 'run "{\\"headers\\": {\\"Authorization\\" :…"'],
  [['--api-key', '-sesame'], 'run --api-key …'],
  [['--api-key', '--Sesame_1'], 'run --api-key …'],
  [['mysql://u:p/sesame@h'], 'run mysql://…'],
  [['mysql://u:p sesame@h'], 'run mysql://…'],
  [[`https://u:${'sesame'.repeat(50)}@h`], 'run https://…@h'],
  [['redis://u:sesame@a,redis://u:sesame@b'], 'run redis://…'],
  [['-c', 'exec srv --api-key sesame'], 'run -c "exec srv --api-key …"'],
  [['--name=ghp_sesamesesamesesame'], 'run --name=…'],
])('shows nothing of the secret in %j', (args, shown) => {
  expect(commandLine({ command: 'run', args })).toBe(shown);
});

it('hides secrets of a whole command line in `command`', () => {
  expect(commandLine({ command: 'npx srv --api-key sesame' })).toBe('"npx srv --api-key …"');
  expect(commandLine({ command: 'API_KEY=sesame npx srv' })).toBe('API_KEY=…');
});

it.each([
  [['--port', '3000', '--config', './a.json', '-v'], 'run --port 3000 --config ./a.json -v'],
  [['-e', 'console.log(1)'], 'run -e "console.log(1)"'],
  [['-y', '@scope/server@1.2.3', '/home/me/keys/a.pem'], 'run -y @scope/server@1.2.3 /home/me/keys/a.pem'],
  [['http://localhost:3000/mcp', 'file:///a/b'], 'run http://localhost:3000/mcp file:///a/b'],
  [['-A', 'npm:server@1.0', './skills-of-everyone/x.js'], 'run -A npm:server@1.0 ./skills-of-everyone/x.js'],
])('leaves %j readable', (args, shown) => {
  expect(commandLine({ command: 'run', args })).toBe(shown);
});

it('reads a long argument of any form without reading it again and again', () => {
  const texts = [
    'key'.repeat(40_000),
    'a-'.repeat(60_000),
    'a://'.repeat(30_000),
    '@'.repeat(120_000),
    '-'.repeat(120_000),
  ];
  // A pattern that reads them in quadratic time runs into the time limit of the test.
  expect(commandLine({ command: 'run', args: texts })).toMatch(/^run /);
});
