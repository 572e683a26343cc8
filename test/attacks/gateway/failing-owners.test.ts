/** An owner whose account fails at an upstream: others connect, and the gateway stays ready. */
import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { Circuit } from '../../../src/gateway/connections/circuit.ts';
import { openAs, served, startGateway, textOf } from '../../gateway/start.ts';

const failTimes = (circuit: Circuit, owner: string, times: number): void => {
  for (let n = 0; n < times; n++) circuit.failed(new Error('429'), owner);
};

describe('The failures of one owner', () => {
  it('do not keep another one from connecting, however many they are', async () => {
    const working = createServer({ name: 'one', version: '1', tools: { work: tool({}, () => 'done') } });
    let attempts = 0;
    const auth = ({ principal }: { principal: { subject: string } }): never => {
      attempts++;
      throw new Error(`no account of ${principal.subject}`);
    };
    const { gateway } = startGateway({
      // Nothing listens there: the credentials fail first.
      failing: { url: 'http://127.0.0.1:9/mcp', auth: auth as never, required: true },
      working: { server: working as never },
    });
    const url = await served(gateway.server);
    const mallory = await openAs('mallory', url);
    for (let n = 0; n < 8; n++)
      await mallory.tools.call('failing__work', {}, { maxTotalTimeoutMs: 200 }).catch(() => {});
    const before = attempts;
    // A pause of its own: the upstream is not asked again and again.
    expect(before).toBeLessThanOrEqual(6);
    const ada = await openAs('ada', url);
    await ada.tools.call('failing__work', {}, { maxTotalTimeoutMs: 200 }).catch(() => {});
    expect(attempts).toBeGreaterThan(before);
    expect(textOf(await ada.tools.call('working__work'))).toBe('done');
    expect(gateway.status().upstreams.failing).toMatchObject({ circuit: 'closed', state: 'idle' });
  });

  it('count once for all: five owners that fail open the circuit for a sixth', () => {
    const circuit = new Circuit('github', () => 0);
    failTimes(circuit, 'mallory', 50);
    expect(circuit.refusal('mallory')).toBeDefined();
    expect(circuit.refusal('ada')).toBeUndefined();
    for (const owner of ['a', 'b', 'c', 'd']) failTimes(circuit, owner, 1);
    expect(circuit.refusal('ada')).toMatchObject({ reason: 'overloaded' });
    expect(circuit.state).toBe('open');
  });

  it('of thousands of owners are not remembered for ever', () => {
    let now = 0;
    const circuit = new Circuit('github', () => now);
    for (let n = 0; n < 5000; n++) failTimes(circuit, `owner ${n}`, 1);
    now = 10 * 60_000;
    circuit.succeeded('ada');
    for (let n = 0; n < 5000; n++) expect(circuit.refusal(`owner ${n}`)).toBeUndefined();
  });
});
