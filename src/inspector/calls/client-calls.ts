/** Calls that open and close clients, and change their settings. */
import { flag } from '../../lib/options/option-rules.ts';
import { offeredTargets } from '../clients/targets.ts';
import type { CallTable } from './call.ts';
import { connectOptions, level, roots, target, text } from './field-rules.ts';

export const clientCalls: CallTable<
  | 'offered'
  | 'prepare'
  | 'connect'
  | 'duplicate'
  | 'reconnect'
  | 'disconnect'
  | 'remove'
  | 'subscribe'
  | 'logLevel'
  | 'roots'
  | 'ping'
> = {
  offered: {
    required: {},
    run: async (_, { sources }) => ({ targets: await offeredTargets(sources) }),
  },
  prepare: {
    required: { target },
    run: (request, { clients }, { tab }) => clients.prepare(request.target, tab),
  },
  connect: {
    required: { target },
    optional: { options: connectOptions, nonce: text },
    async run({ target: asked, options = {}, nonce }, { clients }, { tab }) {
      return { client: (await clients.connect(asked, options, tab, nonce)).info };
    },
  },
  duplicate: {
    required: { client: text },
    optional: { options: connectOptions },
    run({ client, options = {} }, { clients }) {
      const { resolved, options: own } = clients.get(client);
      return { client: clients.open(resolved, { ...own, ...options }).info };
    },
  },
  reconnect: {
    required: { client: text },
    async run({ client }, { clients }) {
      const found = clients.get(client);
      await found.close();
      found.connect();
      return { client: found.info };
    },
  },
  disconnect: {
    required: { client: text },
    async run({ client }, { clients }) {
      const found = clients.get(client);
      await found.close();
      return { client: found.info };
    },
  },
  remove: {
    required: { client: text },
    async run({ client }, { clients }) {
      await clients.remove(client);
      return {};
    },
  },
  subscribe: {
    required: { client: text, uri: text, isOn: flag },
    async run({ client, uri, isOn }, { clients }) {
      const found = clients.get(client);
      await found.watching.set(uri, isOn);
      return { client: found.info };
    },
  },
  logLevel: {
    required: { client: text, level },
    async run({ client, level: wanted }, { clients }) {
      const found = clients.get(client);
      await found.setLogLevel(wanted);
      return { client: found.info };
    },
  },
  roots: {
    required: { client: text, roots },
    run({ client, roots }, { clients }) {
      const found = clients.get(client);
      found.setRoots(roots);
      return { client: found.info };
    },
  },
  ping: {
    required: { client: text },
    async run({ client: id }, { clients }) {
      const { client } = clients.get(id);
      const began = performance.now();
      await client.ping();
      return { ms: Math.round((performance.now() - began) * 100) / 100 };
    },
  },
};
