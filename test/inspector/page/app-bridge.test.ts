/** The bridge between the page and an app: what is sent when, and what an app gets for its requests. */
import { describe, expect, it } from 'vitest';
import { AppBridge, type AppPorts, type ShownCall } from '../../../apps/inspector/src/apps/bridge.ts';

function bridged(call: ShownCall = { arguments: { city: 'Oslo' } }, own: Partial<AppPorts> = {}) {
  const posted: Record<string, unknown>[] = [];
  const notes: unknown[] = [];
  const bridge = new AppBridge(
    {
      post: (message) => void posted.push(message as Record<string, unknown>),
      hostContext: () => ({ theme: 'dark' }),
      callTool: async (name, given) => ({ content: [], name, given }),
      readResource: async (uri) => ({ contents: [{ uri }] }),
      openLink: async () => {
        throw new Error('The user refused.');
      },
      onNote: (kind, content) => void notes.push([kind, content]),
      onSize: (height) => void notes.push(['size', height]),
      ...own,
    },
    call,
  );
  const ask = async (method: string, params: object = {}): Promise<Record<string, unknown> | undefined> => {
    bridge.receive({ jsonrpc: '2.0', id: method, method, params });
    // The answer takes a few turns of the queue.
    await new Promise((resolve) => setImmediate(resolve));
    return posted.find(({ id }) => id === method);
  };
  const notify = (method: string, params: object = {}): void => bridge.receive({ jsonrpc: '2.0', method, params });
  return { bridge, posted, notes, ask, notify, methods: () => posted.map(({ method }) => method) };
}

describe('the bridge of an app', () => {
  it('sends nothing before the app is initialized, then the arguments once and the result after them, and never parts of them [ext-apps-31][ext-apps-36][ext-apps-50][ext-apps-52][ext-apps-55]', async () => {
    const { bridge, ask, notify, methods, posted } = bridged();
    bridge.update({ arguments: { city: 'Oslo' }, result: { content: [] } });
    expect(posted).toEqual([]);
    expect(await ask('ui/initialize', { protocolVersion: 'x', appCapabilities: {} })).toMatchObject({
      result: { protocolVersion: 'x', hostContext: { theme: 'dark' } },
    });
    notify('ui/notifications/initialized');
    bridge.update({ arguments: { city: 'Oslo' }, result: { content: [] } });
    expect(methods().slice(1)).toEqual(['ui/notifications/tool-input', 'ui/notifications/tool-result']);
    expect(posted[1]).toMatchObject({ params: { arguments: { city: 'Oslo' } } });
  });

  it('notifies the app of a call that was cancelled [ext-apps-56]', () => {
    const { notify, methods } = bridged({ arguments: {}, isCancelled: true });
    notify('ui/notifications/initialized');
    expect(methods()).toEqual(['ui/notifications/tool-input', 'ui/notifications/tool-cancelled']);
  });

  it('passes calls and reads on, and reports what the user refused as an error', async () => {
    const { ask } = bridged();
    expect(await ask('tools/call', { name: 'add', arguments: { a: 1 } })).toMatchObject({
      result: { name: 'add', given: { a: 1 } },
    });
    expect(await ask('resources/read', { uri: 'ui://x' })).toMatchObject({ result: { contents: [{ uri: 'ui://x' }] } });
    expect(await ask('ui/open-link', { url: 'https://a.example' })).toMatchObject({
      error: { message: 'The user refused.' },
    });
    expect(await ask('sampling/createMessage')).toMatchObject({ error: { code: -32601 } });
  });

  it('answers a display mode with the one that there is, whatever the app declares, and follows sizes and notes [ext-apps-37][ext-apps-40][ext-apps-41][ext-apps-42][ext-apps-43]', async () => {
    const { ask, notify, notes, posted } = bridged();
    await ask('ui/initialize', { appCapabilities: { availableDisplayModes: ['inline'] } });
    notify('ui/notifications/initialized');
    expect(await ask('ui/request-display-mode', { mode: 'fullscreen' })).toMatchObject({ result: { mode: 'inline' } });
    expect(JSON.stringify(posted)).not.toContain('fullscreen');
    expect(await ask('ui/message', { role: 'user' })).toMatchObject({ result: {} });
    notify('ui/notifications/size-changed', { width: 1, height: 300 });
    expect(notes).toEqual([
      ['message', { role: 'user' }],
      ['size', 300],
    ]);
  });

  it('announces the end, and waits for the answer [ext-apps-57][ext-apps-58]', async () => {
    const { bridge, notify, methods } = bridged();
    notify('ui/notifications/initialized');
    const ended = bridge.teardown();
    expect(methods()).toContain('ui/resource-teardown');
    bridge.receive({ jsonrpc: '2.0', id: 'teardown', result: {} });
    await ended;
  });

  it.each([undefined, null, 5, 'text', {}, { jsonrpc: '1.0', method: 'ping', id: 1 }])('drops %j', (data) => {
    const { bridge, posted } = bridged();
    bridge.receive(data);
    expect(posted).toEqual([]);
  });
});
