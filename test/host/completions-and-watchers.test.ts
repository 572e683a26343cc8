/** Completions, watched resources and requests of extensions through a host, by the names of the host. */
import { createServer, prompt, resource, resourceTemplate } from 'tenon';
import { createHost } from 'tenon/host';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inbox } from '../kit/inbox.ts';

function travel(city: string) {
  let text = 'sunny';
  const cities = (value: string): string[] => [city, `${city} airport`].filter((one) => one.startsWith(value));
  const server = createServer({
    name: 'travel',
    version: '1.0.0',
    resources: { 'weather://now': resource({ name: 'now' }, () => text) },
    resourceTemplates: { 'weather://{city}/today': resourceTemplate({ complete: { city: cities } }, () => 'rain') },
    prompts: {
      plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: cities } }, () => 'a plan'),
    },
  });
  const change = (to: string): void => {
    text = to;
    server.sendResourceUpdated('weather://now');
  };
  return { server, change };
}

describe.each(protocolVersions)('a host at %s', (revision) => {
  const hosting = () => {
    const [rome, oslo] = [travel('Rome'), travel('Oslo')];
    const host = createHost({
      servers: { rome: rome.server, oslo: oslo.server },
      connectOptions: { protocolVersions: [revision] },
    });
    return { host, oslo };
  };

  it('completes arguments of prompts and variables of templates, by the names of its lists [S30]', async () => {
    const { host } = hosting();
    const { items: prompts } = await host.prompts.list();
    const { items: templates } = await host.resources.listTemplates();
    const argument = { name: 'city', value: 'O' };
    const ref = { type: 'ref/prompt', name: prompts[1]?.name as string } as const;
    expect(await host.complete(ref, argument)).toMatchObject({ values: ['Oslo', 'Oslo airport'] });
    const template = { type: 'ref/resource', uri: templates[1]?.hostUri as string } as const;
    expect(await host.complete(template, argument)).toMatchObject({ values: ['Oslo', 'Oslo airport'] });
    expect(await host.complete({ ...ref, name: 'rome__plan' }, argument)).toMatchObject({ values: [] });
    const wrong = { code: 'invalid-argument' };
    await expect(host.complete({ ...ref, name: 'paris__plan' }, argument)).rejects.toMatchObject(wrong);
    await expect(host.complete({ ...template, uri: 'paris/x://y' }, argument)).rejects.toMatchObject(wrong);
    await expect(host.complete(undefined as never, argument)).rejects.toMatchObject(wrong);
    await host.close();
  });

  it('watches one resource of one server: its contents now, and after every change [S30]', async () => {
    const { host, oslo } = hosting();
    const { put, next } = inbox<unknown>();
    const watcher = await host.resources.watch('oslo/weather://now', ([part]) => put((part as { text: string }).text));
    expect(await next()).toBe('sunny');
    expect(host.health().map(({ state }) => state)).toEqual(['idle', 'ready']);
    oslo.change('snow');
    expect(await next()).toBe('snow');
    await watcher.close();
    await expect(host.resources.watch('nowhere/x', () => {})).rejects.toMatchObject({ code: 'invalid-argument' });
    await host.close();
  });
});

it('a method that is not of an extension is rejected: it could call a tool without consent', async () => {
  await using host = createHost({ servers: { rome: travel('Rome').server } });
  await expect(host.request('rome', 'tools/call' as never, { name: 'x' } as never)).rejects.toMatchObject({
    code: 'invalid-argument',
  });
});
