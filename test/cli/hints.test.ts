/** What the command line advises can be done on the command line: its hints name no option of the library. */
import { expect, it } from 'vitest';
import { shownHint } from '../../src/cli/output/shown-hint.ts';
import { readTexts } from '../architecture/source-tree.ts';
import { scripted } from '../kit/http/scripted-server.ts';
import { typed } from './terminal.ts';

/** How hints of the library name its options. */
const optionOfLibrary = /"(?:\w+Ms|env|cwd|protocolVersions|\w+\.\w+)"|\b(?:limits|timeouts)\.\w+|auth: |client: \{/;

it('no hint of a client names an option of the library', () => {
  const texts = readTexts(['src/client', 'src/node/child', 'src/node/pipe', 'src/auth/client/registration'])
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(/(?:hint[:=]|hint =|^)\s*(['`])([A-Z](?:(?!\1|\\).|\\.)*)\1/gm)])
    .map(([, , hint = '']) => hint.replaceAll("\\'", "'"))
    // A message with values, which is no hint.
    .filter((hint) => !hint.includes('${max'));
  expect(texts.length).toBeGreaterThan(40);
  expect(texts.map(shownHint).filter((hint) => optionOfLibrary.test(hint))).toEqual([]);
});

it('a server that exits, a folder and a version that do not exist get options that can be typed', async () => {
  const exits = await typed(['tenon', 'tools', '-q', '--', process.execPath, '-e', 'process.exit(3)']);
  expect(exits.err).toContain('and those that -e NAME=VALUE sets.');
  expect(exits.err).not.toContain('"env"');
  const cwd = await typed(['tenon', 'tools', '--cwd', '/no-such-folder-of-tenon', '--', process.execPath]);
  expect(cwd.err).toContain('Pass an existing folder with --cwd DIR.');
  const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' };
  const { url } = await scripted(({ response }) => response.writeHead(403, challenge).end());
  const scopes = await typed(`tenon tools ${url} --json`);
  expect(JSON.parse(scopes.out).error).toMatchObject({
    hint: 'Get a token with these scopes: tenon login URL --scope SCOPE.',
    message: expect.stringContaining('tenon login URL --scope SCOPE.'),
  });
});
