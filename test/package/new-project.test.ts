/** A project that the packed package writes is typed, passes its tests, and its tool can be called. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmptyFolder, packInto } from './new-project.ts';
import { answer, connectTo, writeProject } from './written-project.ts';

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

it('from an empty folder, init leads to a called tool, and to a package with a program [S31]', async () => {
  const { cli, folder, tests, built, program } = await writeProject(empty, 'stdio');
  expect(tests).toMatch(/pass 3\n.*fail 0/s);
  expect(built).toEqual(['main.js', 'server.js']);
  const called = ['call', 'weather-stdio', 'forecast', 'city=Oslo'];
  expect(await empty.run(process.execPath, [cli, ...called], folder)).toBe('Sunny in Oslo\n');
  expect(await answer(await connectTo(program, 'command'), 'forecast city=Oslo')).toBe('Sunny in Oslo');
});
