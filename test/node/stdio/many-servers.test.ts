/** Starting and stopping many servers leaks nothing. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const count = scaled(50, 500);

it(
  `${count} servers started and stopped leave no process, handle or listener`,
  async () => {
    const [client, server] = await Promise.all([bundledProgram('spawning-client'), bundledProgram('plain-server')]);
    const child = spawn(process.execPath, [client, server, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [text, [code]] = await withTimeout(
      Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'close')]),
      'the client of many servers',
      scaled(240_000, 540_000),
    );
    const { ends, before, after } = JSON.parse(text.join(''));
    expect(ends).toEqual({ closed: count * 0.9, failed: count * 0.1 });
    expect(before.children).toBe(0);
    expect(after).toEqual(before);
    // No open handle is left, so the client process exited by itself.
    expect(code).toBe(0);
  },
  scaled(300_000, 600_000),
);
