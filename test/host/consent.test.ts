/** No tool runs without consent, and every decision is reported. */
import { createServer, tool, toText } from 'tenon';
import { type Consent, createHost, type Decision, type HostOptions, type ToolRequest } from 'tenon/host';
import { createFakeClock } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withClock } from '../../src/lib/time/internal-deadlines.ts';

/** A host of one server, the calls that reached it, and the decisions about them. */
function hosting(options: Partial<HostOptions>) {
  const ran: unknown[] = [];
  const decisions: Decision[] = [];
  const warnings: Error[] = [];
  const server = createServer({
    name: 'files',
    version: '1.0.0',
    tools: {
      remove: tool({ annotations: { destructiveHint: true }, inputSchema: z.object({ path: z.string() }) }, (input) => {
        ran.push(input);
        return `removed ${input.path}`;
      }),
    },
  });
  const host = createHost({
    servers: { files: server },
    onDecision: (decision) => decisions.push(decision),
    onWarning: (_, error) => warnings.push(error),
    ...options,
  });
  return { host, ran, decisions, warnings, remove: (path = '/a') => host.tools.call('files__remove', { path }) };
}

const withTool = (tool: Consent['tool'] & {}, more: Partial<HostOptions> = {}) =>
  hosting({ consent: { tool }, ...more });
const decided = (decision: string, by: string) => ({
  server: 'files',
  type: 'tool',
  tool: 'remove',
  decision,
  by,
  at: expect.any(Number),
});

describe('a tool', () => {
  it.each<Partial<HostOptions>>([{}, { consent: {} }])(
    'does not run with %j, and the hint names the option to pass',
    async (options) => {
      const { host, ran, decisions, remove } = hosting(options);
      await expect(remove()).rejects.toMatchObject({
        code: 'consent-denied',
        hint: "Pass consent: { tool: (request) => … } to createHost, or consent: 'allow-all'.",
        details: { by: 'no-hook' },
      });
      expect([ran, decisions]).toEqual([[], [decided('deny', 'no-hook')]]);
      await host.close();
    },
  );

  it('runs with allow-all, and the decision is reported', async () => {
    const { host, decisions, remove } = hosting({ consent: 'allow-all' });
    expect(toText(await remove())).toBe('removed /a');
    expect(decisions).toEqual([decided('allow', 'allow-all')]);
    await host.close();
  });

  it('is shown to the hook with its server, its arguments and its definition [S30]', async () => {
    const shown: ToolRequest[] = [];
    const { host, remove } = withTool((request) => {
      shown.push(request);
      return 'allow';
    });
    await host.tools.list();
    expect(toText(await remove())).toBe('removed /a');
    expect(shown).toMatchObject([
      {
        server: 'files',
        tool: 'remove',
        arguments: { path: '/a' },
        definition: { name: 'remove', annotations: { destructiveHint: true } },
      },
    ]);
    await host.close();
  });

  it.each<[unknown, string, string]>([
    ['deny', 'hook', 'it was not allowed'],
    [{ deny: 'not on a Sunday' }, 'hook', 'not on a Sunday'],
    [undefined, 'failure', 'the consent hook failed'],
    [true, 'failure', 'the consent hook failed'],
    ['ALLOW', 'failure', 'the consent hook failed'],
    [{ edit: 'text' }, 'failure', 'the consent hook failed'],
    [{ edit: null }, 'failure', 'the consent hook failed'],
    [{ allow: true }, 'failure', 'the consent hook failed'],
    [{ edit: { path: '/b' }, reason: 'safer' }, 'failure', 'the consent hook failed'],
    [{ edit: { path: '/b' }, deny: 'no' }, 'failure', 'the consent hook failed'],
    [{ deny: 5 }, 'failure', 'the consent hook failed'],
    [{ edit: { arguments: { path: '/b' } } }, 'failure', 'the consent hook failed'],
  ])('does not run if the hook returns %j', async (returned, by, reason) => {
    const { host, ran, decisions, warnings, remove } = withTool((async () => returned) as never);
    await expect(remove()).rejects.toMatchObject({ code: 'consent-denied', message: expect.stringContaining(reason) });
    const ownReason = reason === 'not on a Sunday' ? { reason } : {};
    expect([ran, decisions]).toEqual([[], [{ ...decided('deny', by), ...ownReason }]]);
    expect(warnings).toHaveLength(by === 'failure' ? 1 : 0);
    await host.close();
  });

  it.each<[unknown, string]>([
    [undefined, 'it is undefined'],
    [{ allow: true }, 'it is an object with allow'],
    [{ edit: { path: '/b' }, reason: 'safer' }, 'it is an object with edit, reason'],
    [{ edit: ['/b'] }, 'its member `edit` has the wrong shape'],
    [
      { edit: { arguments: { path: '/b' } } },
      'its member `edit` has "arguments", which is not an argument of the tool',
    ],
  ])('that a hook denies by returning %j gets a warning that names what to return', async (returned, why) => {
    const { host, warnings, remove } = withTool((async () => returned) as never);
    await expect(remove()).rejects.toMatchObject({ code: 'consent-denied' });
    const [warning] = warnings;
    expect(warning).toMatchObject({ code: 'callback-failed', details: { place: 'consent.tool' } });
    expect(warning?.message).toBe(
      `The result of the hook consent.tool is not valid: ${why}. It was denied. ` +
        "Return 'allow', 'deny', { deny: 'why' } or { edit: arguments } with all arguments of the call.",
    );
    await host.close();
  });

  it('does not run if the hook throws, and the error is passed to onWarning', async () => {
    const broken = new Error('broken hook');
    const { host, ran, warnings, remove } = withTool(() => {
      throw broken;
    });
    await expect(remove()).rejects.toMatchObject({ code: 'consent-denied', details: { by: 'failure' } });
    expect(ran).toEqual([]);
    expect(warnings).toMatchObject([
      { code: 'callback-failed', message: 'The hook consent.tool threw. It was denied.', cause: broken },
    ]);
    await host.close();
  });

  it('runs with the arguments that the hook returned', async () => {
    const { host, ran, decisions, remove } = withTool(() => ({ edit: { path: '/tmp/a' } }));
    expect(toText(await remove())).toBe('removed /tmp/a');
    expect([ran, decisions]).toEqual([[{ path: '/tmp/a' }], [decided('edit', 'hook')]]);
    await host.close();
  });

  it('runs with the arguments that were shown, even if the caller or the hook changes its object', async () => {
    const given = { path: '/a' };
    const { host, ran } = withTool((request) => {
      given.path = '/etc';
      request.arguments.path = '/usr';
      return 'allow';
    });
    await host.tools.call('files__remove', given);
    expect(ran).toEqual([{ path: '/a' }]);
    await host.close();
  });

  it('does not run if the hook does not return in time, and the signal of the hook is aborted', async () => {
    const clock = createFakeClock();
    let aborted: AbortSignal | undefined;
    const { host, ran, decisions, remove } = withTool(
      ({ signal }) => {
        aborted = signal;
        queueMicrotask(() => clock.advance(500));
        return new Promise(() => {});
      },
      { timeouts: { consentMs: 500 }, ...withClock(clock) },
    );
    await expect(remove()).rejects.toMatchObject({ code: 'consent-denied', details: { by: 'timeout' } });
    expect([ran, decisions, aborted?.aborted]).toEqual([[], [decided('deny', 'timeout')], true]);
    await host.close();
  });

  it('does not run if the call is cancelled while the hook runs', async () => {
    const cancelling = new AbortController();
    const { host, ran, decisions } = withTool(() => {
      cancelling.abort();
      return new Promise(() => {});
    });
    const call = host.tools.call('files__remove', { path: '/a' }, { signal: cancelling.signal });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect([ran, decisions]).toEqual([[], [decided('deny', 'cancelled')]]);
    await host.close();
  });
});

it('closing a host rejects the calls that wait for consent, and leaves no timer', async () => {
  const clock = createFakeClock();
  const { host, ran, remove } = withTool(() => new Promise(() => {}), { ...withClock(clock) });
  const call = remove();
  await expect.poll(() => clock.pending).toBe(1);
  await host.close();
  await expect(call).rejects.toMatchObject({ code: 'connection-closed' });
  expect([ran, clock.pending]).toEqual([[], 0]);
});

describe('decisions', () => {
  it('contain no arguments, unless includeRequests is set', async () => {
    const quiet = withTool(() => 'allow');
    await quiet.remove('/secret');
    expect(JSON.stringify(quiet.decisions)).not.toContain('secret');
    const full = withTool(() => ({ edit: { path: '/b' } }), { includeRequests: true });
    await full.remove('/a');
    expect(full.decisions).toMatchObject([{ decision: 'edit', request: { path: '/b' } }]);
    await Promise.all([quiet.host.close(), full.host.close()]);
  });

  it('are made even if onDecision throws, and the tool runs', async () => {
    const warnings: Error[] = [];
    const { host, remove } = withTool(() => 'allow', {
      onDecision: () => {
        throw new Error('full');
      },
      onWarning: (_, error) => warnings.push(error),
    });
    expect(toText(await remove())).toBe('removed /a');
    expect(warnings).toMatchObject([{ code: 'callback-failed', cause: { message: 'full' } }]);
    await host.close();
  });
});

describe('a tool that does not exist', () => {
  it('is rejected by its name, and no consent is requested', async () => {
    let consents = 0;
    const { host } = withTool(() => {
      consents++;
      return 'allow';
    });
    await expect(host.tools.call('files__renamed')).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { server: 'files', tool: 'files__renamed' },
    });
    expect([consents, host.health()[0]?.failures]).toEqual([0, 0]);
    await host.close();
  });
});

it('mistakes of the caller and cancelled calls are no failures of the server', async () => {
  const { host } = withTool(() => 'allow');
  await host.tools.list();
  await expect(host.tools.call('files__remove', { path: 5 })).resolves.toMatchObject({ isError: true });
  await expect(host.resources.read('files/data://none')).rejects.toMatchObject({ code: 'capability-not-supported' });
  const signal = AbortSignal.abort();
  await expect(host.tools.call('files__remove', { path: '/a' }, { signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(host.health()[0]?.failures).toBe(0);
  await host.close();
});
