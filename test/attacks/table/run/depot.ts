/** The server under attack: its tools use untrusted values with `tenon/input-safety`, and what must never happen is counted. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, prompt, resource, resourceTemplate, type Server, TenonError, ToolError, tool } from 'tenon';
import { createPolicy, type GuardOptions, guard } from 'tenon/guard';
import { commandArguments, createPathRoot, createUrlGuard, sql } from 'tenon/input-safety';
import { z } from 'zod';
import { canary, openAudit, type WatchedAudit } from './audit.ts';
import { listenTwice } from './two-sites.ts';

export interface Depot {
  readonly server: Server;
  readonly audit: WatchedAudit;
  /** The port of the public site and of the private service, which are at different addresses. */
  readonly port: number;
  /** What must never happen, as far as it has happened. */
  readonly harm: string[];
  close(): Promise<void>;
}

/** `diary` is for alice alone, `inside` for a network, `vault` for no caller; `deploy` and `pay` depend on their arguments. */
const policy = `version: 1
rules:
  - id: open
    allow: [list, call, read, subscribe, get, complete, elicit]
    to: any
    on:
      tool: [echo, read, fetch, print, search, count, wait, approve, wipe, fail, deploy, pay, nag, siren, bell, weigh, relay, whoami]
      resource: ["memo://public/**", "notes:///**"]
      template: "notes:///{+path}"
      prompt: plan
  - {id: hers, allow: [list, call], to: {issuer: "https://id.test", subject: alice}, on: {tool: diary}}
  - {id: near, allow: [list, call], to: {network: 203.0.113.0/24}, on: {tool: inside}}
  - {id: prod, deny: [call], to: any, on: {tool: deploy}, when: 'args.env == "prod"'}
  - {id: much, ask: [call], to: any, on: {tool: pay}, when: 'args.amount > 100.0'}
  - {id: private, deny: [read, list, subscribe], to: any, on: {resource: "notes:///private/**"}}
  - {id: quiet, deny: [elicit], to: any, on: {tool: nag}}
`;

/** Each caller has its own: they do not touch other rows. */
const limits: NonNullable<GuardOptions['limits']> = {
  perPrincipal: { rate: '100000/min', burst: 100_000 },
  perTool: { siren: '2/d', bell: { concurrent: 1 } },
  costs: { weigh: ({ weight }) => weight as number },
};

const names: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['127.0.0.2'],
  'other.test': ['127.0.0.2'],
  'private.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mixed.test': ['127.0.0.2', '10.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'local6.test': ['::1'],
  'nothing.test': [],
};

export async function openDepot(): Promise<Depot> {
  const harm: string[] = [];
  const folder = fillFolder();
  const { port, close: closeSites } = await listenTwice(
    publicSite(() => port),
    (_request, response) => {
      harm.push('the private service was reached');
      response.end(canary);
    },
  );
  let looked = 0;
  const audit = openAudit();
  const root = createPathRoot(join(folder, 'root'), { maxFileBytes: 1000 });
  const urls = createUrlGuard({
    allow: [`http://*:${port}`, 'http://*', 'https://*'],
    // Stands for the public internet: no other address of it can be had in a test.
    allowedNetworks: ['127.0.0.2/32'],
    maxResponseBytes: 1000,
    // Another answer each time: the public site first, then the private service.
    lookup: async (name) =>
      (name === 'rebinding.test' ? [['127.0.0.2'], ['127.0.0.1']][looked++ % 2] : names[name]) ?? [],
  });
  return {
    server: createServer(definition({ root, urls, harm }), {
      onError: () => {},
      secrets: ['a secret of the depot, of some length'],
      guard: guard({ policy: createPolicy(policy), audit: audit.log, limits }),
    }),
    audit,
    port,
    harm,
    async close() {
      await urls.close();
      await closeSites();
      rmSync(folder, { recursive: true });
    },
  };
}

function fillFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'depot-'));
  mkdirSync(join(folder, 'root', 'days'), { recursive: true });
  mkdirSync(join(folder, 'root-of-others'));
  writeFileSync(join(folder, 'root', 'days', 'today.txt'), 'rain');
  writeFileSync(join(folder, 'root', 'large.txt'), 'x'.repeat(1001));
  mkdirSync(join(folder, 'root', 'private'));
  writeFileSync(join(folder, 'root', 'private', 'a.txt'), canary);
  writeFileSync(join(folder, 'root', '.env'), canary);
  writeFileSync(join(folder, 'secret.txt'), canary);
  writeFileSync(join(folder, 'root-of-others', 'secret.txt'), canary);
  symlinkSync('../secret.txt', join(folder, 'root', 'link.txt'));
  symlinkSync('..', join(folder, 'root', 'up'));
  symlinkSync('.env', join(folder, 'root', 'shown.txt'));
  symlinkSync('/dev/zero', join(folder, 'root', 'zero'));
  execFileSync('mkfifo', [join(folder, 'root', 'fifo')]);
  return folder;
}

/** A site of an attacker, at a public address. */
const publicSite =
  (port: () => number): RequestListener =>
  (request, response) => {
    const to = new URL(request.url ?? '/', 'http://public.test').searchParams.get('to');
    if (request.url === '/large') return void response.end('x'.repeat(1001));
    if (request.url === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
    if (request.headers.host?.startsWith('other.test'))
      return void response.end(`sent: ${request.headers.authorization}`);
    if (to === null) return void response.end('a public page');
    response.writeHead(302, { location: to.replace('{port}', String(port())) }).end();
  };

interface Used {
  readonly root: ReturnType<typeof createPathRoot>;
  readonly urls: ReturnType<typeof createUrlGuard>;
  readonly harm: string[];
}

function definition({ root, urls, harm }: Used): Parameters<typeof createServer>[0] {
  const text = (name: string) => z.object({ [name]: z.string() });
  let runs = 0;
  return {
    name: 'depot',
    version: '1',
    tools: {
      echo: tool({ inputSchema: text('text') }, ({ text: given }) => String(given)),
      read: tool({ inputSchema: text('path') }, ({ path }) =>
        named(async () => new TextDecoder().decode(await root.read(String(path)))),
      ),
      fetch: tool({ inputSchema: text('url') }, ({ url }) => named(async () => (await urls.fetch(String(url))).text())),
      relay: tool({ inputSchema: text('url') }, ({ url }) =>
        named(async () => (await urls.fetch(String(url), { headers: { authorization: `Bearer ${canary}` } })).text()),
      ),
      whoami: tool({}, (_given, ctx) => JSON.stringify([ctx.caller, ctx.meta])),
      print: tool({ inputSchema: text('name') }, ({ name }) =>
        named(() => execFileSync('echo', commandArguments`${String(name)}`, { encoding: 'utf8' }).trimEnd()),
      ),
      search: tool({ inputSchema: z.object({ owner: z.unknown(), order: z.string().default('name') }) }, (given) =>
        named(() => {
          const order = sql.choice(given.order, { name: sql`name`, newest: sql`created DESC` });
          const { text: found, values } =
            sql`SELECT * FROM notes WHERE owner = ${given.owner as string} ORDER BY ${order}`;
          return `${found} ${JSON.stringify(values)}`;
        }),
      ),
      count: tool({}, () => String(++runs)),
      wait: tool({}, async (_given, ctx) => {
        ctx.reportProgress(1);
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
        return 'waited';
      }),
      approve: tool({}, async (_given, ctx) => {
        const { action } = await ctx.elicit('ok', { message: 'Pay?', schema: z.object({ sure: z.boolean() }) });
        return `${ctx.caller.principal?.subject} ${action}`;
      }),
      wipe: tool({ scopes: ['admin'] }, () => {
        harm.push('wipe ran');
        return 'wiped';
      }),
      diary: tool({ inputSchema: z.object({ day: z.string().meta({ 'x-mcp-header': 'Day' }) }) }, (_given, ctx) => {
        if (ctx.caller.principal?.key !== '["https://id.test","alice"]') harm.push('the diary was read');
        return 'dear diary';
      }),
      inside: tool({}, () => {
        harm.push('an address was believed');
        return canary;
      }),
      vault: tool({}, () => {
        harm.push('the vault was opened');
        return canary;
      }),
      deploy: tool({ inputSchema: z.object({ env: z.string().toLowerCase().default('prod') }) }, ({ env }) => {
        if (env === 'prod') harm.push('production was changed');
        return `deployed to ${env}`;
      }),
      pay: tool({ inputSchema: z.object({ amount: z.coerce.number() }) }, ({ amount }) => {
        if (amount > 100) harm.push('too much was paid');
        return `paid ${amount}`;
      }),
      nag: tool({}, async (_given, ctx) => {
        const answer = await ctx.elicit('pin', { message: 'Your PIN?', schema: z.object({ pin: z.string() }) });
        return answer.action;
      }),
      siren: tool({}, () => 'loud'),
      bell: tool({}, async (_given, ctx) => {
        ctx.reportProgress(1);
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
        return 'rung';
      }),
      weigh: tool({ inputSchema: z.object({ weight: z.number() }) }, ({ weight }) => `weighed ${weight}`),
      fail: tool({}, () => {
        throw new Error(canary);
      }),
    },
    resources: {
      'memo://public/a': resource({ name: 'a' }, () => 'a public memo'),
      'memo://private/a': resource({ name: 'b' }, () => {
        harm.push('a private memo was read');
        return canary;
      }),
    },
    resourceTemplates: {
      'notes:///{+path}': resourceTemplate({}, async ({ path }) => {
        const found = await root.read(String(path)).catch(() => undefined);
        return found && new TextDecoder().decode(found);
      }),
    },
    prompts: {
      plan: prompt({}, () => 'Plan'),
      plot: prompt(
        { argsSchema: z.object({ victim: z.string() }), complete: { victim: () => [canary] } },
        () => canary,
      ),
    },
  };
}

/** Passes the code and message of a local error to the client: the messages of `tenon/input-safety` are made for that. */
async function named(run: () => string | Promise<string>): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TenonError) throw new ToolError(`${error.code}: ${error.message}`);
    throw error;
  }
}
