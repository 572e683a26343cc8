/** A guard and `protect` use the store of the server, unless they have one of their own. */
import { createServer, toFetchHandler } from 'tenon';
import { protect } from 'tenon/auth';
import { createPolicy, guard } from 'tenon/guard';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { createLimits } from '../../../src/guard/limits/limits.ts';
import { guardLimits } from '../../../src/guard/limits/options.table.ts';
import type { GuardLimits } from '../../../src/guard/limits/options.ts';
import { withDefaults } from '../../../src/lib/options/read-options.ts';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createMemoryLimits } from '../../../src/store/limits/memory-limits.ts';
import { createMemoryOnce } from '../../../src/store/once/memory-once.ts';
import { secrets } from './session/two-nodes.ts';

const policy = createPolicy('version: 1\nrules: [{ id: all, allow: call, to: any, on: any }]\n');
const request = { principal: 'ada', address: undefined, tool: undefined };
const isAllowed = async (limits: ReturnType<typeof createLimits>) => !('reason' in (await limits.take(request)));
const anotherFor = (owner: string) =>
  expect.objectContaining({
    code: 'invalid-argument',
    message: expect.stringMatching(`^${owner}.*used with another store`),
  });

describe('[S20] the limits of a guard', () => {
  const start = (options: GuardLimits = {}) =>
    createLimits(withDefaults(guardLimits, { perPrincipal: '1/h', ...options }), createDeadlines());

  it('are counted in the store of the server while it is served with one', async () => {
    const store = createMemoryStore();
    const [one, other] = [start(), start()];
    const releases = [one.useStore(store), one.useStore(store), other.useStore(store)];
    expect([await isAllowed(one), await isAllowed(other)]).toEqual([true, false]);
    releases[0]?.();
    expect(await isAllowed(one)).toBe(false);
    releases[1]?.();
    expect(await isAllowed(one)).toBe(true);
  });

  it('are counted in limits.store where it is set, and in memory with a store that has no limits', async () => {
    const store = createMemoryStore();
    const limits = createMemoryLimits();
    const [one, other] = [start({ store: limits }), start()];
    one.useStore(store);
    other.useStore({ ...store, limits: undefined } as unknown as Store);
    expect([await isAllowed(one), await isAllowed(other), await isAllowed(start({ store: limits }))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('give a slot back where it was taken, also after the store was detached', async () => {
    const store = createMemoryStore();
    const [one, other] = [start({ perPrincipal: { concurrent: 1 } }), start({ perPrincipal: { concurrent: 1 } })];
    const release = one.useStore(store);
    other.useStore(store);
    const permit = await one.take(request);
    expect(await isAllowed(other)).toBe(false);
    release();
    (permit as { release(): void }).release();
    expect(await isAllowed(other)).toBe(true);
  });
});

describe('[S20] one guard or protect() with two stores', () => {
  const newServer = (options: object = {}) => createServer({ name: 'one', version: '1' }, { secrets, ...options });

  it('is refused by name, and leaves nothing attached', async () => {
    const guarded = guard({ policy, limits: { perPrincipal: '1/h' } });
    const first = toFetchHandler(newServer({ guard: guarded }), { store: createMemoryStore() });
    const second = newServer({ guard: guarded });
    expect(() => toFetchHandler(second, { store: createMemoryStore() })).toThrow(anotherFor('The guard'));
    await first.close();
    await toFetchHandler(second, { store: createMemoryStore() }).close();

    const authenticate = protect({
      issuer: 'https://id.example',
      resource: 'https://mcp.example/mcp',
      dpop: 'required',
    });
    const server = newServer();
    const one = toFetchHandler(newServer(), { store: createMemoryStore(), authenticate });
    expect(() => toFetchHandler(server, { store: createMemoryStore(), authenticate })).toThrow(anotherFor('protect'));
    await one.close();
    await toFetchHandler(server, { store: createMemoryStore(), authenticate }).close();
  });

  it('is served where each names its own', async () => {
    const guarded = guard({ policy, limits: { perPrincipal: '1/h', store: createMemoryLimits() } });
    const dpop = { once: createMemoryOnce() };
    const authenticate = protect({ issuer: 'https://id.example', resource: 'https://mcp.example/mcp', dpop });
    for (let n = 0; n < 2; n++)
      expect(toFetchHandler(newServer({ guard: guarded }), { store: createMemoryStore(), authenticate })).toBeTypeOf(
        'function',
      );
  });
});
