/** Decisions of a guarded server, read back from its audit log: another policy decides them as it would have then. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, prompt, resourceTemplate, tool } from 'tenon';
import {
  auditFolder,
  createPolicy,
  type DecisionRecord,
  guard,
  type Policy,
  replayDecisions,
  searchAudit,
} from 'tenon/guard';
import { createTestConnection } from 'tenon/test';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { envelope, openRaw, request } from '../../kit/transport/raw-connection.ts';
import { createGuarded } from './kit.ts';

const past = `
version: 1
rules:
  - { id: see, allow: [list], to: any, on: { server: ops, tool: [deploy, when, tags, ask], template: "log://{day}", prompt: "*" } }
  - { id: use, allow: [call, read, get, complete, elicit], to: any, on: { server: ops } }
  - { id: prod, deny: [call], to: any, on: { tool: deploy }, when: 'args.env == "prod"' }
  - { id: friday, deny: [read], to: any, on: { template: "log://{day}" }, when: 'args.day == "friday"' }
  - { id: elsewhere, deny: [call], to: any, on: { server: other } }
`;

const principal = { issuer: 'https://id.example', subject: 'ada' };

async function recorded(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const audit = auditFolder(folder);
  const server = createServer(
    {
      name: 'ops',
      version: '1',
      tools: {
        deploy: tool({ inputSchema: z.object({ env: z.string().toLowerCase().default('prod') }) }, () => 'done'),
        when: tool({ inputSchema: z.object({ at: z.string().transform((text) => new Date(text)) }) }, () => 'done'),
        tags: tool(
          {
            inputSchema: z.object({
              tags: z
                .array(z.string())
                .transform((tags) => new Set(tags))
                .meta({ type: 'array' }),
            }),
          },
          () => 'done',
        ),
        ask: tool({}, async (_given, ctx) => (await ctx.elicit('e', { message: '?', schema: z.object({}) })).action),
        wipe: tool({}, () => 'done'),
      },
      resourceTemplates: { 'log://{day}': resourceTemplate({ complete: { day: () => ['monday'] } }, () => 'text') },
      prompts: { plan: prompt({ argsSchema: z.object({ city: z.string() }) }, () => 'plan') },
    },
    { guard: guard({ policy: createPolicy(past), audit, server: 'ops' }) },
  );
  const { client } = await createTestConnection(server, {
    principal,
    handlers: { elicitForm: [{ action: 'accept', content: {} }] },
  });
  const tried = (answer: Promise<unknown>) => answer.catch(() => {});
  await tried(client.tools.call('deploy', {} as never));
  await tried(client.tools.call('deploy', { env: 'PROD' } as never));
  await tried(client.tools.call('deploy', { env: 'TEST' } as never));
  await tried(client.tools.call('when', { at: '2026-01-02' } as never));
  await tried(client.tools.call('tags', { tags: ['a'] } as never));
  await tried(client.tools.call('ask'));
  await tried(client.tools.call('wipe'));
  await tried(client.resources.read('log://monday'));
  await tried(client.resources.read('log://friday'));
  await tried(client.prompts.get('plan', { city: 'Rome' }));
  await client.close();
  await audit.close();
  return folder;
}

async function changes(folder: string, policy: Policy): Promise<unknown[]> {
  const records = searchAudit(folder, { kinds: ['decision', 'call-start'], includePrivate: true });
  const found: unknown[] = [];
  for await (const { record, outcome } of replayDecisions(records, policy)) {
    const { action, target } = record as DecisionRecord;
    found.push([action, target.tool ?? target.resource ?? target.prompt, outcome?.effect ?? 'unknown']);
  }
  return found;
}

it('the policy that decided would decide the same: by validated arguments, variables, and the name of the server [S23, S24]', async () => {
  const folder = await recorded();
  const decisions: unknown[] = [];
  for await (const { decision, what } of searchAudit(folder, { kinds: ['decision', 'call-start'] }))
    decisions.push([what?.server, what?.action, what?.tool ?? what?.resource ?? what?.prompt, decision?.effect]);
  expect(decisions).toContainEqual(['ops', 'list', 'wipe', 'deny']);
  expect(decisions.length).toBeGreaterThanOrEqual(10);
  expect(await changes(folder, createPolicy(past))).toEqual([]);
});

it('another policy is compared by what the past decisions read [S23, S24]', async () => {
  const folder = await recorded();
  const rules = past
    .replace('args.env == "prod"', 'args.env == "test"')
    .replace('args.day == "friday"', 'args.day == "monday"')
    .replace('[deploy, when', '[wipe, deploy, when')
    .concat(
      '  - { id: late, deny: [call], to: any, on: { tool: when }, when: \'args.at.startsWith("2026-01-02T")\' }\n',
    )
    .concat("  - { id: tags, deny: [call], to: any, on: { tool: tags }, when: 'size(args.tags) > 5' }\n");
  expect(await changes(folder, createPolicy(rules))).toEqual([
    ['call', 'deploy', 'allow'],
    ['call', 'deploy', 'allow'],
    ['call', 'deploy', 'deny'],
    ['call', 'when', 'deny'],
    // A set is not JSON: it was not recorded.
    ['call', 'tags', 'unknown'],
    ['list', 'wipe', 'allow'],
    ['read', 'log://monday', 'deny'],
    ['read', 'log://friday', 'allow'],
  ]);
});

it('what the client sent is recorded beside what was decided about, and numbers beyond all avoid no record [S24]', async () => {
  const { server, audit } = createGuarded();
  const { send, next } = openRaw(server, { principal });
  const huge = JSON.stringify(request(1, 'tools/call', envelope({ name: 'hidden_drop', arguments: { n: 7 } })));
  send(huge.replace('7', '1e400'));
  await next();
  send(request(2, 'tools/call', envelope({ name: 'open_deploy', arguments: { env: 'TEST' } })));
  await next();
  const [, hidden, start] = audit.events;
  expect(hidden).toMatchObject({ kind: 'decision', what: { tool: 'hidden_drop' }, private: { sent: { n: null } } });
  expect(start).toMatchObject({ private: { arguments: { env: 'test' }, sent: { env: 'TEST' } } });
});
