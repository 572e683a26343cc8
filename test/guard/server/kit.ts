/** A guarded server with something hidden, something refused and something allowed of each kind, and an audit log in memory. */
import { createServer, prompt, resource, resourceTemplate, type Server, type ServerOptions, tool } from 'tenon';
import { type AuditEvent, type AuditLog, createPolicy, type Guard, guard } from 'tenon/guard';
import { z } from 'zod';

/** An audit log that stores the events as given. `failing` makes it reject. */
export interface MemoryAudit extends AuditLog {
  readonly events: AuditEvent[];
  readonly refusals: [address: string, reason: string][];
  failing: 'begin' | 'append' | undefined;
  kinds(): string[];
}

export function memoryAudit(): MemoryAudit {
  const events: AuditEvent[] = [];
  const add = async (event: AuditEvent, method: 'begin' | 'append'): Promise<void> => {
    if (audit.failing === method) throw new Error('disk full');
    // As JSON: later changes of its values have no effect.
    events.push(JSON.parse(JSON.stringify(event)));
  };
  const audit: MemoryAudit = {
    events,
    refusals: [],
    failing: undefined,
    kinds: () => events.map(({ kind }) => kind),
    begin: (event) => add(event, 'begin'),
    append: (event) => add(event, 'append'),
    countRefusal: (address, reason) => void audit.refusals.push([address, reason]),
    async close() {},
  };
  return audit;
}

export const rules = `
version: 1
rules:
  - { id: open, allow: [list, call, read, get, complete, subscribe], to: any, on: { tool: "open*", resource: "open://**", template: "open://{id}", prompt: "open*" } }
  - { id: asked, ask: [call, read, get, complete, subscribe], to: any, on: { tool: "asked*" } }
  - { id: seen, allow: [list], to: any, on: { tool: ["seen*", "asked*"], resource: "seen://**", template: "seen://{id}", prompt: "seen*" } }
  - { id: private, deny: [list], to: any, on: { resource: "open://private" } }
  - { id: no-prod, deny: [call], to: any, on: { tool: open_deploy }, when: 'args.env == "prod"' }
`;

/** Every handler that ran. */
export interface Guarded {
  readonly server: Server;
  readonly guarded: Guard;
  readonly audit: MemoryAudit;
  readonly ran: string[];
}

/** The features of a server. Names begin with what a caller may do with them; `without` leaves some out. */
export function features(ran: string[], without = /^$/) {
  const run = (name: string) => () => {
    ran.push(name);
    return name;
  };
  const only = <T>(items: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(items).filter(([name]) => !without.test(name)));
  const marked = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
  return {
    tools: only({
      open_echo: tool({}, run('open_echo')),
      open_deploy: tool(
        { inputSchema: z.object({ env: z.string().toLowerCase().default('prod') }) },
        run('open_deploy'),
      ),
      seen_wipe: tool({ inputSchema: z.object({ path: z.string() }) }, run('seen_wipe')),
      asked_mail: tool({}, run('asked_mail')),
      hidden_drop: tool({ inputSchema: marked, scopes: ['drop'], timeoutMs: 1000 }, run('hidden_drop')),
    }),
    resources: only({
      'open://one': resource({}, run('open://one')),
      'seen://one': resource({}, run('seen://one')),
      'hidden://one': resource({ scopes: ['drop'] }, run('hidden://one')),
    }),
    resourceTemplates: only({
      'open://{id}': resourceTemplate({ complete: { id: () => ['1', 'private', '2'] } }, run('open template')),
      'seen://{id}': resourceTemplate({ complete: { id: () => ['1'] } }, run('seen template')),
      'hidden://{id}': resourceTemplate({ scopes: ['drop'], complete: { id: () => ['1'] } }, run('hidden template')),
    }),
    prompts: only({
      open_plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => ['x'] } }, run('plan')),
      seen_plan: prompt({}, run('seen_plan')),
      hidden_plan: prompt({ scopes: ['drop'], argsSchema: z.object({ city: z.string() }) }, run('hidden_plan')),
    }),
  };
}

export function createGuarded(text = rules, options: ServerOptions = {}, without?: RegExp): Guarded {
  const ran: string[] = [];
  const audit = memoryAudit();
  const guarded = guard({ policy: createPolicy(text), audit });
  const definition = { name: 'guarded', version: '1', pageSize: 2, ...features(ran, without) };
  return { server: createServer(definition, { ...options, guard: guarded }), guarded, audit, ran };
}

/** The same server without what is hidden. */
export const createWithout = (text = rules, options: ServerOptions = {}): Guarded =>
  createGuarded(text, options, /^hidden/);
