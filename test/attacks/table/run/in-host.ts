/** Connects the servers of a row to a host, and calls what its user calls. */
import { createServer, type Server, tool, toText } from 'tenon';
import { type AuditLog, createLock, createPolicy } from 'tenon/guard';
import { createHost, type HostOptions } from 'tenon/host';
import { z } from 'zod';
import type { HostAttack, OfferedTools } from '../attack.ts';
import { type Outcome, outcomeOfError } from './outcome.ts';

export async function runHost(attack: HostAttack, audit: AuditLog): Promise<Outcome> {
  const { servers, locked = false, later = {}, when = 'before', policy, calls } = attack;
  const running = Object.entries(servers).map(([name, tools]) => [name, serverOf(name, tools)] as const);
  const change = (): void => {
    for (const [name, server] of running) if (later[name] !== undefined) offer(server, name, later[name]);
  };
  const written: string[] = [];
  await using host = createHost({
    servers: Object.fromEntries(running),
    principal: 'ada',
    audit,
    ...(policy !== undefined && { policy: createPolicy(policy) }),
    ...(locked && { lock: memoryLock() }),
    ...consentOf(attack, when === 'while asked' ? change : () => {}),
    onWarning: (_server, error) => void written.push(error.message),
  });
  if (locked) await host.approve(await host.lockStatus());
  if (when === 'before') change();
  await host.tools.list();
  let outcome: Outcome | undefined;
  for (const one of calls) {
    const [name, to] = [one].flat() as [string, string?];
    outcome = await called(() => host.tools.call(name, { ...(to !== undefined && { to }) }));
    if (when === 'after') change();
    await host.tools.list();
  }
  const { items } = await host.tools.list();
  written.push(...items.map(({ name }) => name));
  return { ...(outcome as Outcome), raw: [outcome?.raw, ...written].join(' ') };
}

const called = (call: () => Promise<unknown>): Promise<Outcome> =>
  call().then((result) => ({ code: 'served', text: toText(result as never), raw: '' }), outcomeOfError);

const inputSchema = z.object({ to: z.string().optional() });

const toolsOf = (server: string, tools: OfferedTools) =>
  Object.fromEntries(
    Object.entries(tools).map(([name, description]) => [
      name,
      tool({ description, inputSchema }, () => `${server} ${name}`),
    ]),
  );

const serverOf = (name: string, tools: OfferedTools): Server =>
  createServer({ name, version: '1', tools: toolsOf(name, tools) });

function offer(server: Server, name: string, offered: OfferedTools): void {
  server.update(({ tools }) => {
    for (const old of Object.keys(tools)) delete tools[old];
    Object.assign(tools, toolsOf(name, offered));
  });
}

function consentOf({ consent }: HostAttack, whileAsked: () => void): Pick<HostOptions, 'consent'> {
  if (consent === undefined) return {};
  let asked = 0;
  return {
    consent: {
      tool() {
        whileAsked();
        if (consent === 'throw') throw new Error('The window was closed.');
        if (consent === 'allow the first') return asked++ === 0 ? 'allow' : 'deny';
        return consent;
      },
    },
  };
}

function memoryLock() {
  let stored: string | undefined;
  return createLock({
    read: async () => stored,
    update: async (change) => {
      stored = await change(stored);
    },
  });
}
