/** The resources of a server: listed, read and watched. */
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/generated/types/records.ts';
import type { CallOptions, Client } from '../api/client.ts';
import type { PaginatedList } from '../api/listing.ts';
import { watch } from '../changes/watching.ts';
import { type ClientMethodsPorts, type ListSource, listFrom } from './lists.ts';

const resources: ListSource<Resource> = { method: 'resources/list', key: 'resources' };
const resourceTemplates: ListSource<ResourceTemplate> = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
};

export function createResources(ports: ClientMethodsPorts): Client['resources'] {
  const list = (options?: CallOptions): PaginatedList<Resource> => listFrom(ports, resources, options);
  const templates = (options?: CallOptions): PaginatedList<ResourceTemplate> =>
    listFrom(ports, resourceTemplates, options);
  const read = async (uri: string, options?: CallOptions): Promise<ReadResourceResult> =>
    (await ports.cache.request('resources/read', { uri }, options)) as unknown as ReadResourceResult;
  return {
    list,
    listTemplates: templates,
    read,
    watchList: (onChange, options) =>
      watch(ports, { resourcesListChanged: true }, (how) => list(how).all(), onChange, options),
    watchTemplates: (onChange, options) =>
      watch(ports, { resourcesListChanged: true }, (how) => templates(how).all(), onChange, options),
    watch: (uri, onChange, options) =>
      watch(ports, { resourceSubscriptions: [uri] }, async (how) => (await read(uri, how)).contents, onChange, options),
  };
}
