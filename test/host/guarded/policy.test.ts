/** The policy of a host: what it denies is not listed and not sent, where it asks the user decides, what it allows runs. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, prompt, resource, resourceTemplate, tool, toText } from 'tenon';
import { useExtension } from 'tenon/extensions';
import { createPolicy } from 'tenon/guard';
import { createHost, type Decision, type HostAudit, type HostAuditEvent, type HostOptions } from 'tenon/host';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { greetings } from '../../kit/samples/greetings-extension.ts';
import { scriptedServer } from '../scripted-server.ts';

const policyOf = (...rules: readonly string[]) =>
  createPolicy(`version: 1\nrules:\n${rules.map((rule) => `  - ${rule}`).join('\n')}`);

const secrets = { secrets: ['a secret of sixteen and more'], onError: () => {} };

/** A host of one server with a feature of every kind, and what reached it. */
function hosting(rules: readonly string[], options: Partial<HostOptions> = {}) {
  const ran: string[] = [];
  const decisions: Decision[] = [];
  const path = z.object({ path: z.string() });
  const files = createServer(
    {
      name: 'files',
      version: '1.0.0',
      tools: {
        read: tool({ inputSchema: path }, (input) => {
          ran.push(`read ${input.path}`);
          return input.path;
        }),
        remove: tool({ inputSchema: path }, (input) => {
          ran.push(`remove ${input.path}`);
          return 'removed';
        }),
        think: tool({}, async (_, ctx) => {
          const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }];
          return JSON.stringify(await ctx.sample('who', { messages, maxTokens: 5 }));
        }),
        greet: tool({}, async (_, ctx) => {
          const answer = await ctx.elicit('name', { message: 'Name?', schema: z.object({ name: z.string() }) });
          return answer.action;
        }),
      },
      resources: {
        'note://a': resource({ name: 'a' }, () => 'A'),
        'note://b': resource({ name: 'b' }, () => 'B'),
      },
      resourceTemplates: { 'day://{n}': resourceTemplate({ name: 'day' }, ({ n }) => `day ${n}`) },
      prompts: {
        plan: prompt({ argsSchema: z.object({ city: z.string() }) }, ({ city }) => `Plan ${city}`),
        other: prompt({}, () => 'Other'),
      },
    },
    secrets,
  );
  const host = createHost({
    servers: { files },
    policy: policyOf(...rules),
    onDecision: (decision) => decisions.push(decision),
    ...options,
  });
  onTestFinished(() => host.close());
  const by = () => decisions.map(({ type, decision, by, rule }) => [type, decision, by, rule]);
  return { host, files, ran, by };
}

const everything = '{id: all, allow: [list, call, read, subscribe, get, complete, sample, elicit], to: any, on: any}';

describe('lists', () => {
  it('show only what the policy lets the user see, of every kind [S23, S30, s-security-06]', async () => {
    const { host } = hosting([
      '{id: some, allow: [list], to: any, on: {server: files, tool: "re*", prompt: plan, resource: "note://a"}}',
      '{id: none, deny: [list], to: any, on: {tool: remove}}',
    ]);
    expect((await host.tools.list()).items.map(({ name }) => name)).toEqual(['files__read']);
    expect((await host.prompts.list()).items.map(({ name }) => name)).toEqual(['files__plan']);
    expect((await host.resources.list()).items.map(({ uri }) => uri)).toEqual(['note://a']);
    expect((await host.resources.listTemplates()).items).toEqual([]);
  });

  it('are empty by default: what no rule allows is denied [S23]', async () => {
    const { host } = hosting(['{id: read, allow: [read], to: any, on: any}']);
    expect((await host.tools.list()).items).toEqual([]);
    expect((await host.resources.list()).items).toEqual([]);
  });

  it('depend on the user of the host', async () => {
    const rules = ['{id: admins, allow: [list], to: {role: admin}, on: any}'];
    const admin = hosting(rules, { principal: { issuer: 'local', subject: 'ada', roles: ['admin'] } });
    const guest = hosting(rules, { principal: 'guest' });
    expect((await admin.host.tools.list()).items).toHaveLength(4);
    expect((await guest.host.tools.list()).items).toEqual([]);
  });
});

describe('a call that the policy denies', () => {
  it('is refused before anything is sent, with a decision that can be explained [S23, S30, s-security-14]', async () => {
    const server = scriptedServer(() => ({ tools: [] }));
    const host = createHost({
      servers: { files: server },
      policy: policyOf('{id: prod, deny: [call], to: any, on: any}', everything),
    });
    onTestFinished(() => host.close());
    const error = await host.tools.call('files__remove', { path: '/' }).catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'permission-denied',
      details: { server: 'files', tool: 'remove', action: 'call', rule: 'prod', decisionId: expect.any(String) },
    });
    expect(host.explain(error.details.decisionId)).toMatchObject({ effect: 'deny', rule: 'prod', text: /line 3/ });
    expect(host.explain('other')).toBeUndefined();
    expect([server.received, server.connections()]).toEqual([[], 0]);
  });

  it('is refused by its arguments, also by those that a hook edited', async () => {
    const rules = [
      `{id: root, deny: [call], to: any, on: {tool: remove}, when: 'args.path == "/"'}`,
      '{id: sure, ask: [call], to: any, on: {tool: remove}}',
      everything,
    ];
    const { host, ran } = hosting(rules, { consent: { tool: () => ({ edit: { path: '/' } }) } });
    for (const path of ['/', '/a'])
      await expect(host.tools.call('files__remove', { path })).rejects.toMatchObject({
        code: 'permission-denied',
        details: { rule: 'root' },
      });
    expect(ran).toEqual([]);
  });

  it.each<[string, (host: ReturnType<typeof hosting>['host']) => Promise<unknown>]>([
    ['read', (host) => host.resources.read('files/note://a')],
    ['subscribe', (host) => host.resources.watch('files/note://a', () => {})],
    ['get', (host) => host.prompts.get('files__plan', { city: 'Oslo' })],
    ['complete', (host) => host.complete({ type: 'ref/prompt', name: 'files__plan' }, { name: 'city', value: '' })],
    ['complete', (host) => host.complete({ type: 'ref/resource', uri: 'files/day://{n}' }, { name: 'n', value: '' })],
  ])('is refused for %s too', async (action, use) => {
    const { host } = hosting([`{id: no, deny: [${action}], to: any, on: any}`, everything]);
    await expect(use(host)).rejects.toMatchObject({ code: 'permission-denied', details: { action, rule: 'no' } });
  });

  it('is refused for requests of extensions, unless a rule allows calls of the server itself', async () => {
    const { host } = hosting(['{id: tools, allow: [call], to: any, on: {tool: "*"}}'], {
      connectOptions: { extensions: [useExtension(greetings)] },
    });
    const request = host.request('files', greetings.methods.hello, { name: 'Ada' });
    await expect(request).rejects.toMatchObject({ code: 'permission-denied', details: { action: 'call' } });
  });
});

describe('a call that the policy asks about', () => {
  const rules = ['{id: careful, ask: [call, read, get], to: any, on: any}', everything];

  it('runs if the hook agrees, which gets what it needs to decide [S30, e-tools-36, s-security-07, s-security-09]', async () => {
    const shown: unknown[] = [];
    const { host, ran, by } = hosting(rules, {
      consent: {
        tool: ({ server, tool, arguments: given, definition }) => {
          shown.push([server, tool, given, definition?.name]);
          return 'allow';
        },
      },
    });
    await host.tools.call('files__remove', { path: '/a' });
    expect([shown, ran]).toEqual([[['files', 'remove', { path: '/a' }, 'remove']], ['remove /a']]);
    expect(by()).toEqual([['tool', 'allow', 'hook', 'careful']]);
  });

  it('does not run if the hook denies, or if there is none [e-tools-01, s-tools-01]', async () => {
    for (const consent of [{ tool: () => 'deny' as const }, {}]) {
      const { host, ran } = hosting(rules, { consent });
      await expect(host.tools.call('files__remove', { path: '/a' })).rejects.toMatchObject({ code: 'consent-denied' });
      await expect(host.resources.read('files/note://a')).rejects.toMatchObject({ code: 'consent-denied' });
      expect(ran).toEqual([]);
    }
  });

  it('denies the arguments of a prompt that a hook edited', async () => {
    const rules = [
      '{id: getting, ask: [get], to: any, on: any}',
      '{id: rome, deny: [get], to: any, on: any, when: \'args.city == "Rome"\'}',
    ];
    const { host } = hosting(rules, { consent: { prompt: () => ({ edit: { city: 'Rome' } }) } });
    await expect(host.prompts.get('files__plan', { city: 'Oslo' })).rejects.toMatchObject({
      code: 'permission-denied',
      details: { rule: 'rome' },
    });
  });

  it('asks about resources and prompts with hooks of their own', async () => {
    const shown: unknown[] = [];
    const { host } = hosting(rules, {
      consent: {
        resource: ({ action, uri }) => {
          shown.push([action, uri]);
          return 'allow';
        },
        prompt: ({ action, prompt, arguments: given }) => {
          shown.push([action, prompt, given]);
          return { edit: { city: 'Rome' } };
        },
      },
    });
    expect(toText(await host.resources.read('files/note://a'))).toBe('A');
    expect(JSON.stringify(await host.prompts.get('files__plan', { city: 'Oslo' }))).toContain('Plan Rome');
    expect(shown).toEqual([
      ['read', 'note://a'],
      ['get', 'plan', { city: 'Oslo' }],
    ]);
  });
});

it('what the policy allows runs without a hook, and the decision is reported [S30]', async () => {
  const { host, ran, by } = hosting([everything]);
  await host.tools.call('files__read', { path: '/a' });
  expect(toText(await host.resources.read('files/note://b'))).toBe('B');
  expect([ran, by()]).toEqual([['read /a'], [['tool', 'allow', 'policy', 'all']]]);
});

describe('requests of servers', () => {
  const model = () => ({
    role: 'assistant' as const,
    model: 'm',
    content: { type: 'text' as const, text: 'Ada' },
  });

  it('for sampling are denied, asked about or allowed [e-sampling-03, s-security-10, s-sampling-01]', async () => {
    const asked: string[] = [];
    const consent = {
      sample: ({ server }: { server: string }) => {
        asked.push(server);
        return 'allow' as const;
      },
    };
    const calls = '{id: calls, allow: [list, call], to: any, on: any}';
    const denied = hosting([calls], { sample: model, consent });
    await expect(denied.host.tools.call('files__think')).rejects.toMatchObject({ code: 'server-request-failed' });
    expect([asked, denied.by().at(-1)]).toEqual([[], ['sample', 'deny', 'policy', undefined]]);
    const ask = hosting([calls, '{id: sure, ask: [sample], to: any, on: {server: files}}'], { sample: model, consent });
    expect(toText(await ask.host.tools.call('files__think'))).toContain('Ada');
    expect(asked).toEqual(['files']);
    const allowed = hosting([everything], { sample: model });
    expect(toText(await allowed.host.tools.call('files__think'))).toContain('Ada');
  });

  it('for elicitation that the policy denies are not shown, and the server gets a refusal', async () => {
    let shown = 0;
    const elicit = () => {
      shown++;
      return { action: 'accept' as const, content: { name: 'Ada' } };
    };
    const denied = hosting(['{id: calls, allow: [list, call], to: any, on: any}'], { elicit });
    expect([toText(await denied.host.tools.call('files__greet')), shown]).toEqual(['decline', 0]);
    const allowed = hosting([everything], { elicit });
    expect([toText(await allowed.host.tools.call('files__greet')), shown]).toEqual(['accept', 1]);
  });
});

describe('an audit log', () => {
  const logOf = (failing?: HostAuditEvent['kind']) => {
    const events: HostAuditEvent[] = [];
    const add = async (event: HostAuditEvent) => {
      if (event.kind === failing) throw new Error('disk full');
      events.push(event);
    };
    const audit: HostAudit = { begin: add, append: add };
    return { audit, events };
  };

  it('has the decision, the consent, the start and the end of a call, in this order [S23, e-tools-36]', async () => {
    const { audit, events } = logOf();
    const { host } = hosting(['{id: sure, ask: [call], to: any, on: any}', everything], {
      audit,
      principal: 'ada',
      consent: { tool: () => 'allow' },
    });
    await host.tools.call('files__read', { path: '/a' });
    expect(events.map(({ kind }) => kind)).toEqual(['decision', 'consent', 'call-start', 'call-end']);
    expect(events.every(({ who }) => who?.key === 'ada')).toBe(true);
    const [decided, consented, started, ended] = events;
    expect(decided).toMatchObject({
      what: { action: 'call', tool: 'read' },
      decision: { effect: 'ask', rule: 'sure' },
    });
    expect(consented).toMatchObject({
      what: { type: 'tool' },
      decision: { decision: 'allow', by: 'hook', rule: 'sure' },
    });
    expect(started).toMatchObject({ what: { server: 'files', tool: 'read' }, private: { arguments: { path: '/a' } } });
    expect(ended?.what).toEqual({ ...started?.what, outcome: 'ok' });
    const publicPart = events.map(({ what, decision }) => [what, decision]);
    expect(JSON.stringify(publicPart)).not.toContain('/a');
  });

  it('that cannot be written stops the call before it is sent, and withholds the result after it [S23]', async () => {
    for (const kind of ['decision', 'consent', 'call-start'] as const) {
      const { host, ran } = hosting([everything], { audit: logOf(kind).audit });
      await expect(host.tools.call('files__read', { path: '/a' })).rejects.toThrow('disk full');
      expect(ran).toEqual([]);
    }
    const { host, ran } = hosting([everything], { audit: logOf('call-end').audit });
    await expect(host.tools.call('files__read', { path: '/a' })).rejects.toThrow('disk full');
    expect(ran).toEqual(['read /a']);
  });
});

describe('the option policy', () => {
  it('takes the path of a file on Node', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-policy-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'policy.yaml');
    await writeFile(path, `version: 1\nrules:\n  - {id: one, allow: [list], to: any, on: {tool: read}}\n`);
    const { host } = hosting([everything], { policy: path });
    expect((await host.tools.list()).items.map(({ name }) => name)).toEqual(['files__read']);
    await writeFile(path, 'version: 1\nrules: oops\n');
    const broken = hosting([everything], { policy: path });
    await expect(broken.host.tools.list()).rejects.toMatchObject({ code: 'invalid-policy' });
    await expect(broken.host.tools.call('files__read', { path: '/a' })).rejects.toMatchObject({
      code: 'invalid-policy',
    });
    expect(broken.ran).toEqual([]);
  });

  it("is refused beside consent: 'allow-all', since the user could not be asked", () => {
    expect(() => hosting([everything], { consent: 'allow-all' })).toThrow(/Remove consent, or pass hooks/);
  });

  it.each([{ policy: {} }, { policy: 5 }, { principal: '' }, { principal: {} }, { audit: {} }])(
    'refuses %j',
    (wrong) => {
      expect(() => hosting([everything], wrong as never)).toThrow(
        expect.objectContaining({ code: 'invalid-argument', details: { place: Object.keys(wrong)[0] } }),
      );
    },
  );

  it('reports that all lists changed when its rules change', async () => {
    let changed = (): void => {};
    const rules = policyOf(everything);
    const policy = {
      decide: rules.decide.bind(rules),
      evaluate: rules.evaluate.bind(rules),
      explain: rules.explain.bind(rules),
      onChange: (listener: () => void) => {
        changed = listener;
      },
    };
    const { host } = hosting([everything], { policy });
    await host.tools.list();
    const subscription = host.subscribe();
    changed();
    for await (const { server, change } of subscription) {
      expect([server, change.type]).toEqual(['files', 'tools']);
      break;
    }
  });
});
