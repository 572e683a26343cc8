/** A resource that is hidden: no template, spelling or subscription leads to it. */
import { createServer, resource, resourceTemplate, type Server } from 'tenon';
import { expect, it } from 'vitest';
import { openClient, startGateway } from '../../gateway/start.ts';
import { sessionVersion } from './raw-upstream.ts';

const upstream = (): Server =>
  createServer({
    name: 'notes',
    version: '1',
    resources: { 'notes://private': resource({}, () => 'secret'), 'notes://public': resource({}, () => 'public') },
    resourceTemplates: { 'notes://{name}': resourceTemplate({}, ({ name }) => `note ${name}`) },
  }) as Server;

it.each([
  ['as the only upstream', ''],
  ['beside another', 'via:notes/'],
])('%s', async (_where, via) => {
  const { gateway } = startGateway({
    notes: { server: upstream() as never, hide: ['notes://private'] },
    ...(via !== '' && { other: { server: upstream() as never } }),
  });
  const client = await openClient(gateway.server, { protocolVersions: [sessionVersion] });
  for (const spelling of ['notes://private', 'notes://%70rivate', 'notes://privat%65'])
    await expect(client.resources.read(via + spelling)).rejects.toMatchObject({ reason: 'resource-not-found' });
  await expect(client.subscribe({ resourceSubscriptions: [`${via}notes://private`] })).rejects.toMatchObject({
    reason: 'resource-not-found',
  });
  expect(await client.resources.read(`${via}notes://public`)).toMatchObject({ contents: [{ text: 'public' }] });
  expect(await client.resources.read(`${via}notes://other`)).toMatchObject({ contents: [{ text: 'note other' }] });
});
