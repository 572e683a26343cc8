/** A host calls tools that run as tasks, like any other tool. */

import type { ProtocolVersion } from 'tenon';
import { createServer, type Task, tool, toText } from 'tenon';
import { createHost } from 'tenon/host';
import { expect, it } from 'vitest';
import { z } from 'zod';

const task = { support: 'required', pollIntervalMs: 50 } as const;

const server = () =>
  createServer({
    name: 'reports',
    version: '1.0.0',
    tools: {
      report: tool({ task }, async (_given, ctx) => {
        const answer = await ctx.elicit('year', { message: 'Which year?', schema: z.object({ year: z.number() }) });
        return answer.action === 'accept' ? `report of ${answer.content.year}` : answer.action;
      }),
    },
  });

it.each<ProtocolVersion>(['2026-07-28', '2025-11-25'])(
  'at %s, with consent, and the user answers what the task requires',
  async (version) => {
    const asked: string[] = [];
    const host = createHost({
      servers: { a: server() },
      connectOptions: { protocolVersions: [version] },
      consent: {
        tool({ tool: name }) {
          asked.push(name);
          return 'allow';
        },
      },
      elicit: () => ({ action: 'accept', content: { year: 2026 } }),
    });
    const tasks: Task[] = [];
    const result = await host.tools.call('a__report', {}, { onTask: (one) => void tasks.push(one) });
    expect(toText(result)).toBe('report of 2026');
    expect(asked).toEqual(['report']);
    expect(tasks).toMatchObject([{ status: 'working' }]);
    await host.close();
  },
);
