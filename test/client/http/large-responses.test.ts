/** A response over HTTP above `maxMessageChars` fails its call with an error that names the limit and a hint. */
import { type ConnectOptions, connect, type ProtocolVersion } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { alone, answer, event, type Received, scripted, stream, textResult } from '../../kit/http/scripted-server.ts';

const limits = { maxMessageChars: 4000 };
/** Above the limit in characters, but within the bytes that 4000 characters may have. */
const large = textResult('x'.repeat(8000));
const calls = ({ message }: Received): boolean => message.method === 'tools/call';
const revisions = [alone, '2025-11-25', '2025-03-26'] as const;
const modes = [true, false].flatMap((strict) => revisions.map((revision) => ({ revision, strict })));

async function opened(url: string, revision: ProtocolVersion, options: ConnectOptions = {}) {
  const warnings: Error[] = [];
  const onWarning = (error: Error): void => void warnings.push(error);
  const client = await connect(url, { protocolVersions: [revision], reconnect: false, onWarning, ...options });
  onTestFinished(() => client.close());
  return { client, warnings };
}

const overLimit = (url: string) => ({
  code: 'message-too-large',
  message: expect.stringMatching(/ characters, over the limit of 4000\. Request less at once, or raise limits\./),
  hint: expect.stringContaining('limits.maxMessageChars'),
  details: { url, maxMessageChars: 4000, characters: expect.any(Number) },
});

describe.each(modes)('At $revision, strict: $strict, a response of too many characters', ({ revision, strict }) => {
  it('in a body fails its call and nothing else', async () => {
    const server = await scripted((one) => calls(one) && (answer(one.response, one.message.id, large), true));
    const { client, warnings } = await opened(server.url, revision, { limits, strict });
    await expect(client.tools.call('look')).rejects.toMatchObject(overLimit(server.url));
    expect(await client.tools.list().all()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('in an event fails its call and nothing else, and the stream continues', async () => {
    const server = await scripted(
      (one) => calls(one) && stream(one.response, event({ id: one.message.id, result: large })),
    );
    const { client, warnings } = await opened(server.url, revision, { limits, strict });
    await expect(client.tools.call('look')).rejects.toMatchObject(overLimit(server.url));
    expect(await client.tools.list().all()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('in an event that is not read completely fails its call and nothing else', async () => {
    const huge = textResult('x'.repeat(40_000));
    const server = await scripted(
      (one) => calls(one) && stream(one.response, event({ id: one.message.id, result: huge })),
    );
    const { client, warnings } = await opened(server.url, revision, { limits, strict });
    await expect(client.tools.call('look')).rejects.toMatchObject({
      code: 'message-too-large',
      hint: expect.stringContaining('limits.maxMessageChars'),
      details: { url: server.url, maxBytes: 12_000 },
    });
    expect(await client.tools.list().all()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('to discovery or initialize makes connect reject', async () => {
    const opens = ({ message }: Received): boolean =>
      message.method === 'initialize' || message.method === 'server/discover';
    const server = await scripted((one) => opens(one) && (answer(one.response, one.message.id, large), true));
    await expect(opened(server.url, revision, { limits, strict })).rejects.toMatchObject(overLimit(server.url));
  });
});

it.each(revisions)(
  "Oversized notifications on a call's stream are dropped, and the result is still delivered, at %s",
  async (revision) => {
    const oversized = event({ method: 'notifications/message', params: { level: 'error', data: 'x'.repeat(8000) } });
    const server = await scripted(
      (one) =>
        calls(one) && stream(one.response, `${oversized}${event({ id: one.message.id, result: textResult('small') })}`),
    );
    const { client, warnings } = await opened(server.url, revision, { limits, strict: false });
    expect((await client.tools.call('look')).content).toMatchObject([{ text: 'small' }]);
    expect(warnings).toMatchObject([{ code: 'message-too-large' }]);
  },
);

it('A response of too many characters on a resumed stream fails its call', async () => {
  const clock = createFakeClock();
  const resumes = ({ headers }: Received): boolean => headers['last-event-id'] !== undefined;
  const server = await scripted((one) => {
    if (calls(one)) return stream(one.response, 'id: e1\ndata:\n\n').end();
    if (!resumes(one)) return false;
    return stream(one.response, event({ id: server.posted('tools/call')[0]?.message.id, result: large }, 'e2'));
  });
  const { client } = await opened(server.url, '2025-11-25', { limits, ...withClock(clock) });
  const call = client.tools.call('look').catch((error) => error);
  await vi.waitFor(
    () => {
      clock.advance(100);
      expect(server.received.some(resumes)).toBe(true);
    },
    { interval: 1, timeout: 5000 },
  );
  expect(await call).toMatchObject(overLimit(server.url));
});

it('A response of too many characters with many ids fails its call', async () => {
  const text = `{${'"id":1,'.repeat(1_700_000)}"x":1}`;
  const server = await scripted(({ response, ...one }) => {
    if (!calls({ response, ...one })) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    return true;
  });
  await using client = await connect(server.url);
  await expect(client.tools.call('look')).rejects.toMatchObject({ code: 'message-too-large' });
});

it('An oversized notification on the GET stream causes a warning, and the session continues', async () => {
  const oversized = event({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(8000) } });
  const server = await scripted((one) => one.method === 'GET' && stream(one.response, oversized));
  const { client, warnings } = await opened(server.url, '2025-11-25', { limits });
  await vi.waitFor(() => expect(warnings).toMatchObject([{ code: 'message-too-large' }]));
  expect(await client.tools.call('look')).toMatchObject(textResult('done'));
});

it('By default a result of 5 Mi characters fails at the limit of 4 Mi', async () => {
  const text = 'x'.repeat(5 * 1024 * 1024);
  const server = await scripted((one) => calls(one) && (answer(one.response, one.message.id, textResult(text)), true));
  await using client = await connect(server.url);
  await expect(client.tools.call('look')).rejects.toMatchObject({
    code: 'message-too-large',
    details: { maxMessageChars: 4 * 1024 * 1024 },
  });
});
