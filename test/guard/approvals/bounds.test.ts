/** What a caller cannot do by size, number or time: large and deep arguments, floods of requests, clocks that step. */
import { createServer, tool, toText } from 'tenon';
import { guard, toApprovalHandler } from 'tenon/guard';
import { createMemoryStore } from 'tenon/store';
import { createTestConnection } from 'tenon/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { maxArgumentChars } from '../../../src/guard/approvals/options.ts';
import { ada, approving, eve, grace, pendingIn, rules, switchedPolicy } from './kit.ts';

const idIn = (result: object): string => pendingIn(result as never)?.id ?? `not pending: ${JSON.stringify(result)}`;

/** Expands a number into a text, beside a member that JSON leaves out. */
const expanding = z.object({ n: z.number() }).transform(({ n }) => ({ blank: undefined, text: 'x'.repeat(n) }));

function withSchema(inputSchema: z.ZodType) {
  const ran: unknown[] = [];
  const guarded = guard({ policy: switchedPolicy(rules), approvals: { waitMs: 0 }, unknownNames: 'warn' });
  const deploy = tool({ inputSchema: inputSchema as never }, (given) => {
    ran.push(given);
    return 'deployed';
  });
  const server = createServer(
    { name: 'ops', version: '1', tools: { deploy } },
    { guard: guarded, onError: () => undefined },
  );
  return { server, guarded, ran };
}

it('validated arguments that no person would read are refused, also beside what JSON leaves out', async () => {
  const { server, guarded, ran } = withSchema(expanding);
  const { client, close } = await createTestConnection(server, { principal: ada });
  await expect(client.tools.call('deploy', { n: maxArgumentChars })).rejects.toMatchObject({
    data: { reason: 'arguments-too-large' },
  });
  const id = idIn(await client.tools.call('deploy', { n: 10 }));
  expect(await guarded.approvals.list(grace)).toMatchObject([{ id, validated: { text: 'xxxxxxxxxx' } }]);
  await guarded.approvals.decide(id, 'approve', grace);
  expect(toText(await client.tools.call('deploy', { n: 10 }))).toBe('deployed');
  expect(ran).toHaveLength(1);
  await close();
});

it('deeply nested arguments are shown whole, on a page of less than a megabyte', async () => {
  const { server, guarded } = withSchema(z.object({ deep: z.unknown() }));
  const levels = 100;
  const deep: unknown = JSON.parse(`${'['.repeat(levels)}${'1,'.repeat(15_000)}1${']'.repeat(levels)}`);
  const { client, close } = await createTestConnection(server, { principal: ada });
  const id = idIn(await client.tools.call('deploy', { deep }));
  const handler = toApprovalHandler(guarded.approvals, { authenticate: () => grace });
  const page = await (await handler(new Request(`https://approve.example.com/approvals/${id}`))).text();
  expect(page.length).toBeLessThan(1_000_000);
  expect(page.match(/^ *1,?$/gm)).toHaveLength(15_001);
  await close();
});

it('a text that is hidden in characters which are not seen is shown to the approver', async () => {
  const { server, guarded } = approving();
  const { client, close } = await createTestConnection(server, { principal: ada });
  const hidden = [...'rm -rf'].map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0))).join('');
  const id = idIn(await client.tools.call('deploy', { env: `test😀${hidden}\u3164` }));
  const handler = toApprovalHandler(guarded.approvals, { authenticate: () => grace });
  const page = await (await handler(new Request(`https://approve.example.com/approvals/${id}`))).text();
  expect(page).toContain('test😀\\udb40');
  expect(page).toContain('\\u3164');
  expect(page).not.toMatch(/[\u{e0100}-\u{e01ef}\u3164]/u);
  await close();
});

it.each(['deploy', 'self'])(
  'a flood of calls of %s by one caller has eight wait at most, and those of others stay',
  async (name) => {
    const { server, guarded, ran } = approving();
    const { client, close } = await createTestConnection(server, { principal: ada });
    const other = await createTestConnection(server, { principal: eve });
    const kept = idIn(await other.client.tools.call(name, { env: 'other' }));
    await Promise.allSettled(Array.from({ length: 200 }, (_, n) => client.tools.call(name, { n })));
    const by = { deploy: { ...grace, subject: 'judy' }, self: ada }[name] as typeof grace;
    const waiting = await guarded.approvals.list(by);
    expect(waiting.filter(({ requester }) => requester?.subject === 'ada')).toHaveLength(8);
    expect(idIn(await other.client.tools.call(name, { env: 'other' }))).toBe(kept);
    expect(ran).toEqual([]);
    await Promise.all([close(), other.close()]);
  },
);

it('a denial is not forgotten by a flood of calls that no one decides', async () => {
  const { server, guarded, ran } = approving();
  const { client, close } = await createTestConnection(server, { principal: ada });
  const id = idIn(await client.tools.call('deploy', { env: 'prod' }));
  await guarded.approvals.decide(id, 'deny', grace);
  await Promise.allSettled(Array.from({ length: 100 }, (_, n) => client.tools.call('deploy', { n })));
  await Promise.allSettled(Array.from({ length: 100 }, (_, n) => client.tools.call('self', { n })));
  await expect(client.tools.call('deploy', { env: 'prod' })).rejects.toMatchObject({ data: { approval: id } });
  expect(ran).toEqual([]);
  await close();
});

it('a clock that steps back or forth lets no call run longer or twice', async () => {
  let moment = 1_800_000_000_000;
  const { server, guarded, ran } = approving({
    store: createMemoryStore({ now: () => moment }).approvals,
    ttlMs: 60_000,
  });
  const { client, close } = await createTestConnection(server, { principal: ada });
  const call = () => client.tools.call('deploy');
  const first = idIn(await call());
  await guarded.approvals.decide(first, 'approve', grace);
  // An hour back: it is used once, all the same.
  moment -= 3_600_000;
  expect(toText(await call())).toBe('deploy has run');
  const second = idIn(await call());
  expect(second).not.toBe(first);
  await guarded.approvals.decide(second, 'approve', grace);
  // Beyond its end and back again: the call that saw it expired has asked for another one, which is not decided.
  moment += 60_000;
  const third = idIn(await call());
  moment -= 60_000;
  expect(idIn(await call())).toBe(third);
  await expect(guarded.approvals.get(second, grace)).rejects.toMatchObject({ code: 'approval-not-found' });
  expect(ran).toHaveLength(1);
  await close();
});
