/** Names in a policy or a limit that the server does not have are found when the server is created. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, prompt, resource, resourceTemplate, type ServerOptions, tool } from 'tenon';
import { createPolicy, type GuardOptions, guard, policyFile } from 'tenon/guard';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it, onTestFinished } from 'vitest';

const policyOn = (...targets: string[]) =>
  `{ version: 1, rules: [${targets.map((on, n) => `{ id: r${n}, allow: [list, call], to: any, on: ${on} }`)}] }`;

const serve = (options: Omit<GuardOptions, 'policy'> & { policy: string }, more: ServerOptions = {}) =>
  createServer(
    {
      name: 'ops',
      version: '1',
      tools: { deploy: tool({}, () => 'done') },
      resources: { 'note://a': resource({ name: 'a' }, () => 'A') },
      resourceTemplates: { 'log://{day}': resourceTemplate({ name: 'log' }, () => 'L') },
      prompts: { plan: prompt({}, () => 'Plan') },
    },
    { ...more, guard: guard({ ...options, policy: createPolicy(options.policy) }) },
  );

const { perTool } = { perTool: { deplyo: '1/s' } } as const;

describe('createServer() refuses', () => {
  it.each([
    ['{ tool: [deploy, deplay] }', 'The rule r0 (line 1) of the policy names the tool "deplay"', 'deploy'],
    ["{ resource: 'note://b' }", 'names the resource "note://b"', 'note://a'],
    ["{ template: 'log://{date}' }", 'names the template "log://{date}"', 'log://{day}'],
    ['{ prompt: plans }', 'names the prompt "plans"', 'plan'],
  ])('a policy about %s', (on, names, meant) => {
    expect(() => serve({ policy: policyOn(on) })).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringContaining(names),
        hint: expect.stringContaining("unknownNames: 'warn'"),
      }),
    );
    expect(() => serve({ policy: policyOn(on) })).toThrow(`Did you mean ${meant}?`);
  });

  it('all of them at once, and limits of tools that there are not', () => {
    const policy = policyOn('{ tool: nothing }');
    expect(() => serve({ policy, limits: { perTool, costs: { depoly: 2 } } })).toThrow(
      /3 features .*:\n {2}The rule r0 .* the tool "nothing", which this server does not have\.\n {2}limits\.perTool of guard\(\) names the tool "deplyo".*Did you mean deploy\?\n {2}limits\.costs of guard\(\) names the tool "depoly"/,
    );
  });
});

it('patterns, URIs of templates, and rules about other servers may name anything', () => {
  const policy = policyOn("{ tool: 'x*' }", "{ resource: 'log://monday' }", '{ server: other, tool: wipe }');
  expect(() => serve({ policy, server: 'ops' })).not.toThrow();
  expect(() => serve({ policy: policyOn('{ server: ops, tool: wipe }'), server: 'ops' })).toThrow('"wipe"');
});

it("with unknownNames: 'warn' the server is created, and onError gets a warning", () => {
  const warnings: unknown[] = [];
  const policy = policyOn('{ tool: later }');
  serve({ policy, unknownNames: 'warn' }, { onError: (error) => warnings.push(error) });
  expect(warnings).toMatchObject([
    {
      code: 'invalid-definition',
      message: expect.stringContaining('"later"'),
      hint: 'Such a rule never matches here, until update() adds the name.',
    },
  ]);
});

it('a reloaded policy with such a name applies, with a warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'policy.yaml');
  writeFileSync(path, policyOn('{ tool: deploy }'));
  const policy = policyFile(path);
  onTestFinished(() => policy.close());
  const warnings: unknown[] = [];
  const server = createServer(
    { name: 'ops', version: '1', tools: { deploy: tool({}, () => 'done') } },
    { guard: guard({ policy }), onError: (error) => warnings.push(error) },
  );
  const { client } = await createTestConnection(server);
  onTestFinished(() => client.close());
  expect(await client.tools.list().all()).toHaveLength(1);
  writeFileSync(path, policyOn('{ tool: deplay }'));
  policy.reload();
  expect(warnings).toMatchObject([{ message: expect.stringContaining('Did you mean deploy?') }]);
  expect(await client.tools.list().all()).toEqual([]);
});
