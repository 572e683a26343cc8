/** Change notifications of a guarded server: a caller learns nothing of what it may not see, and of every change of the policy. */
import { createServer, type ProtocolVersion, resource, type Server, tool } from 'tenon';
import { createPolicy, guard, type Policy } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import type { ServerGuard } from '../../../src/ports/guard.ts';
import { reaches } from '../../../src/server/kernel/guarded-changes.ts';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { createGuarded, features, memoryAudit, rules } from './kit.ts';

const uris = ['open://one', 'hidden://one', 'seen://', 'open://', 'hidden://', 'nothing://x'];

/** A client that listens to every change. Returns what it got of each method so far. */
async function listening(server: Server, revision: ProtocolVersion) {
  const { send, settled, ask, exchange } = await openAt(server, revision);
  if (exchange)
    send(
      ask('listen', 'subscriptions/listen', {
        notifications: {
          toolsListChanged: true,
          resourcesListChanged: true,
          promptsListChanged: true,
          // One visible resource may not be subscribed to, so it is not named.
          resourceSubscriptions: uris,
        },
      }),
    );
  else for (const uri of uris) send(ask(uri, 'resources/subscribe', { uri }));
  await settled();
  return async (): Promise<string[]> => {
    const got = await settled();
    return got.map(({ method, params }) => [method, (params as Json | undefined)?.uri].filter(Boolean).join(' '));
  };
}

const added = (name: string) => ({ [name]: tool({}, () => 'x') });

describe.each(protocolVersions)('under %s', (revision) => {
  it('a change of something hidden is not sent [S23]', async () => {
    const { server } = createGuarded();
    const received = await listening(server, revision);
    server.update(({ tools, resources }) => {
      Object.assign(tools, added('hidden_more'));
      delete tools.hidden_drop;
      resources['hidden://two'] = resource({}, () => 'x');
    });
    expect(await received()).toEqual([]);
    server.update(({ tools }) => void Object.assign(tools, added('open_more')));
    expect(await received()).toEqual(['notifications/tools/list_changed']);
    server.update(({ tools }) => void delete tools.open_more);
    expect(await received()).toEqual(['notifications/tools/list_changed']);
  });

  it('an update of a resource is sent to subscribers that may see it and subscribe to it [S23]', async () => {
    const { server } = createGuarded();
    const received = await listening(server, revision);
    for (const uri of ['hidden://one', 'hidden://7', 'seen://one', 'nothing://x']) server.sendResourceUpdated(uri);
    expect(await received()).toEqual([]);
    server.sendResourceUpdated('open://one');
    server.sendResourceUpdated('open://7');
    expect(await received()).toEqual([
      'notifications/resources/updated open://one',
      'notifications/resources/updated open://7',
    ]);
  });

  it('a change of the policy is sent, holds at once, and is recorded [S23, S24]', async () => {
    const audit = memoryAudit();
    const { policy, change } = changingPolicy(rules);
    const server = createServer({ name: 'x', version: '1', ...features([]) }, { guard: guard({ policy, audit }) });
    const received = await listening(server, revision);
    const { send, next, ask } = await openAt(server, revision);
    const call = async (): Promise<Json> => {
      send(ask(1, 'tools/call', { name: 'open_echo' }));
      return next();
    };
    expect(await call()).toMatchObject({ result: {} });
    change('version: 1\nrules:\n  - { id: none, allow: [list], to: any, on: { tool: "seen*" } }\n');
    expect((await received()).sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/tools/list_changed',
    ]);
    send(ask(2, 'tools/call', { name: 'nothing' }));
    const answers: Json[] = [];
    while (!answers.some(({ id }) => id === 2)) answers.push(await next());
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ error: { data: { availableTools: ['seen_wipe'] } } });
    server.sendResourceUpdated('open://one');
    expect(await received()).toEqual([]);
    expect(audit.events).toContainEqual({ kind: 'policy', what: { digest: 'b', previousDigest: 'a' } });
  });
});

/** A policy that delegates to the newest document. */
function changingPolicy(text: string) {
  let current: Policy = createPolicy(text);
  const listeners = new Set<(versions: { digest: string; previousDigest: string }) => void>();
  const policy = {
    get rules() {
      return current.rules;
    },
    get tests() {
      return current.tests;
    },
    decide: (request: never) => current.decide(request),
    evaluate: (request: never) => current.evaluate(request),
    visible: (request: never) => current.visible(request),
    explain: (id: string) => current.explain(id),
    onChange(listener: (versions: { digest: string; previousDigest: string }) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (next: string): void => {
    current = createPolicy(next);
    for (const listener of listeners) listener({ digest: 'b', previousDigest: 'a' });
  };
  return { policy: policy as unknown as Policy & Pick<typeof policy, 'onChange'>, change };
}

it('a session whose caller is not known is notified of nothing that a guard decides about [S23]', () => {
  const seesAll = { sees: () => true, notifies: () => true } as unknown as ServerGuard;
  const registry = () => ({}) as never;
  expect(reaches({ guard: seesAll, source: undefined, registry }, undefined, { kind: 'tools' })).toBe(false);
  expect(reaches({ guard: undefined, source: undefined, registry }, undefined, { kind: 'tools' })).toBe(true);
});
