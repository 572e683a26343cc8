/** The port of the demo: one that another program has is named, with what to do. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startDemo } from './demo-program.ts';

it.each([[[]], [['--auth']]])('a port that another program has is named in one line: %j', async (args) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const demo = startDemo(args, { PORT: `${port}` });
  onTestFinished(() => void demo.child.kill('SIGKILL'));
  const [code] = await once(demo.child, 'close');
  expect(code).toBe(1);
  const lines = demo.errors().trimEnd().split('\n');
  expect(lines.at(-1)).toMatch(
    new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: .* PORT=3001 npm start takes port 3001\\.$`),
  );
  expect(demo.errors()).not.toContain('    at ');
});
