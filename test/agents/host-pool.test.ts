/** A host for each user: nothing of one is there for another. */
import { createServer, tool, toText } from 'tenon';
import { createHostPool, type HostUser } from 'tenon/agents';
import { createHost, type Host } from 'tenon/host';
import { createFakeClock } from 'tenon/test';
import { expect, it } from 'vitest';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../kit/deferred.ts';

/** Each server remembers which user it was made for, and counts its calls. */
function pooled(options: object = {}) {
  const made: string[] = [];
  const closed: string[] = [];
  const pool = createHostPool((user) => {
    const name = String(user);
    made.push(name);
    let calls = 0;
    const server = createServer({
      name: 'own',
      version: '1.0.0',
      tools: { who: tool({}, () => `${name} ${++calls}`) },
    });
    const asked: string[] = [];
    const host = createHost({
      servers: { own: server },
      consent: {
        tool: () => {
          asked.push(name);
          return { allow: 'session' } as never;
        },
      },
    });
    const close = host.close;
    return Object.assign(host, { asked, close: () => close().finally(() => closed.push(name)) });
  }, options);
  const who = (user: HostUser) => pool.use(user, async (host: Host) => toText(await host.tools.call('own__who')));
  return { pool, made, closed, who };
}

it('makes one host for each user, and shares no server, process or answer between them', async () => {
  const { pool, made, who } = pooled();
  expect([await who('ada'), await who('bob'), await who('ada')]).toEqual(['ada 1', 'bob 1', 'ada 2']);
  expect(made).toEqual(['ada', 'bob']);
  const hosts = new Set<Host>();
  const consent: unknown[] = [];
  for (const user of ['ada', 'bob'])
    await pool.use(user, async (host) => {
      hosts.add(host);
      consent.push((host as unknown as { asked: string[] }).asked);
    });
  expect(hosts.size).toBe(2);
  // Each user was asked by their own host.
  expect(consent.map((asked) => [...new Set(asked as string[])])).toEqual([['ada'], ['bob']]);
  await pool.close();
});

it('distinguishes users by issuer and subject', async () => {
  const { pool, who, made } = pooled();
  const ada = (issuer: string) => ({ issuer, subject: 'ada' });
  await who(ada('https://one.example'));
  await who(ada('https://two.example'));
  await who({ ...ada('https://one.example'), scopes: ['more'] });
  expect(made).toHaveLength(2);
  await pool.close();
});

it('refuses the same host for two users', async () => {
  const host = createHost({ servers: {} });
  await using pool = createHostPool(() => host);
  await pool.use('ada', async () => {});
  await expect(pool.use('bob', async () => {})).rejects.toMatchObject({ code: 'invalid-argument' });
});

it('closes a host that was not used for `idleMs`, and none that is in use', async () => {
  const clock = createFakeClock();
  const { pool, who, closed, made } = pooled({ idleMs: 60_000, ...withClock(clock) });
  await who('ada');
  const [running, end] = [deferred(), deferred()];
  const long = pool.use('bob', async () => {
    running.resolve();
    await end.promise;
  });
  await running.promise;
  clock.advance(60_000);
  await expect.poll(() => closed).toEqual(['ada']);
  end.resolve();
  await long;
  expect([await who('ada'), made]).toEqual(['ada 1', ['ada', 'bob', 'ada']]);
  await pool.close();
  expect(closed.sort()).toEqual(['ada', 'ada', 'bob']);
});

it('closes the host unused for longest beyond `maxHosts`, and refuses another if all are in use', async () => {
  const { pool, who, closed } = pooled({ maxHosts: 2 });
  await who('ada');
  await who('bob');
  await who('ada');
  await who('eve');
  await expect.poll(() => closed).toEqual(['bob']);
  const refused = pool.use('ada', () => pool.use('eve', () => pool.use('bob', async () => 'never')));
  await expect(refused).rejects.toMatchObject({ code: 'too-many-hosts' });
  await pool.remove('ada');
  expect(closed).toEqual(['bob', 'ada']);
  await pool.close();
  await expect(who('ada')).rejects.toMatchObject({ code: 'connection-closed' });
});

it('names wrong options', () => {
  expect(() => createHostPool('host' as never)).toThrow(/makeHost must be a function/);
  expect(() => createHostPool(() => createHost({ servers: {} }), { maxHosts: 0 })).toThrow(/maxHosts/);
});
