/** A source that passes calls on to a server without sessions: callers of every protocol version get what they get there. */
import {
  type Client,
  type ConnectOptions,
  connect,
  createServer,
  inputRequired,
  type ProtocolVersion,
  prompt,
  promptResult,
  resource,
  resourceTemplate,
  type Server,
  tool,
  toolResult,
} from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RpcError } from '../../../src/jsonrpc/errors.ts';
import type { Fields } from '../../../src/lib/values/is.ts';
import type { Settled } from '../../../src/ports/call-outcome.ts';
import type { Incoming } from '../../../src/protocol/neutral.ts';
import type { Invocation } from '../../../src/server/features/invocation.ts';
import { remotePrompt, remoteResource, remoteTemplate, remoteTool } from '../../../src/server/features/remote.ts';
import { internalsOf } from '../../../src/server/internals.ts';
import { type FeatureSource, withSource } from '../../../src/server/kernel/feature-source.ts';
import type { Registry } from '../../../src/server/registry/registry.ts';
import { exchangeVersion, isSince } from '../../kit/version-order.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const requestedSchema = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
};

/** Counts how often the handler of `greet` has begun. */
function upstreamServer(begun: string[]): Server {
  const fail = (): never => {
    throw new RpcError(1001, 'Own error', { more: 1 });
  };
  return createServer({
    name: 'upstream',
    version: '1.0.0',
    tools: {
      echo: tool({ title: 'Echo', inputSchema: z.object({ text: z.string() }) }, ({ text }, ctx) => {
        ctx.reportProgress(1, 2, 'half');
        return toolResult({ content: [{ type: 'text', text }], _meta: { vendor: 1 } });
      }),
      greet: tool({}, (_args, ctx) => {
        const { inputResponses } = ctx;
        begun.push(String(ctx.requestState ?? 'first'));
        if (inputResponses.who === undefined)
          return inputRequired({ who: { message: 'Who?', requestedSchema }, where: 'roots' }, 'second');
        return JSON.stringify(inputResponses);
      }),
      fail: tool({}, fail),
    },
    prompts: {
      plan: prompt({ argsSchema: z.object({ city: z.string() }), complete: { city: () => ['Oslo'] } }, ({ city }) =>
        promptResult({ description: 'A plan', messages: [{ role: 'user', content: { type: 'text', text: city } }] }),
      ),
    },
    resources: { 'notes://one': resource({ mimeType: 'text/plain' }, () => 'first') },
    resourceTemplates: { 'notes://days/{day}': resourceTemplate({}, ({ day }) => day) },
  }) as Server;
}

/** What a call of the front is at the upstream: the requests of its rounds are passed on as they are. */
async function forward(invocation: Invocation, upstream: Client): Promise<Settled> {
  const { call, resumption, context } = invocation;
  const { returned, journal } = resumption ?? {};
  const state = journal?.own as string | undefined;
  try {
    const outcome = await upstream.round(call.method, paramsOf(call), {
      signal: context.signal,
      onProgress: ({ progress, total, message }) => context.reportProgress(progress, total, message),
      ...(returned !== undefined && { round: { answers: returned, ...(state !== undefined && { state }) } }),
    });
    if (outcome.resultType !== 'input_required') return outcome as Settled;
    return invocation.requireInput(outcome.inputRequests, outcome.state);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data, reason } = error;
    return new RpcError(code, message, data, reason);
  }
}

const paramsOf = ({ params }: Incoming): Fields => {
  const { _meta: _, ...own } = params;
  return own;
};

class Forwarding implements FeatureSource {
  readonly #upstream: Client;
  readonly #base: () => Registry;
  #registry: Registry | undefined;

  constructor(upstream: Client, base: () => Registry) {
    this.#upstream = upstream;
    this.#base = base;
  }

  async #load(): Promise<Registry> {
    const upstream = this.#upstream;
    const entries = <T>(items: readonly object[], key: string, make: (name: string, remote: never) => T) =>
      new Map(
        items.map((record) => {
          const name = String((record as Fields)[key]);
          const one = { record, fingerprint: name, forward: (invocation: Invocation) => forward(invocation, upstream) };
          return [name, make(name, one as never)] as const;
        }),
      );
    const templates = entries(await upstream.resources.listTemplates().all(), 'uriTemplate', (name, one) =>
      remoteTemplate(name, one, false),
    );
    return {
      ...this.#base(),
      capabilities: upstream.capabilities as never,
      tools: entries(await upstream.tools.list().all(), 'name', (name, one) => remoteTool(name, one)),
      prompts: entries(await upstream.prompts.list().all(), 'name', (name, one) => remotePrompt(name, one, true)),
      resources: entries(await upstream.resources.list().all(), 'uri', remoteResource),
      templates,
      reads: { templates },
    };
  }

  prepare(_caller: unknown, call: Incoming) {
    if (this.#registry !== undefined) return call;
    return this.#load().then((registry) => {
      this.#registry = registry;
      return call;
    });
  }

  registryFor(): Registry {
    return this.#registry ?? this.#base();
  }

  sessionChanges = () => undefined;
  listen = () => ({ resources: [], close: () => {} });
  rootsChanged(): void {}
  abandoned(): void {}
}

async function behindFront(upstream: Server, forwardingOptions: ConnectOptions): Promise<Server> {
  const client = await connect(upstream, { protocolVersions: [exchangeVersion], ...forwardingOptions });
  closing.push(() => client.close());
  let base: () => Registry = () => {
    throw new Error('no server');
  };
  const source = new Forwarding(client, () => base());
  const front = createServer({ name: 'upstream', version: '1.0.0' }, withSource(source)) as Server;
  base = internalsOf(front).serving.registry;
  return front;
}

const handlers = {
  elicitForm: () => ({ action: 'accept' as const, content: { name: 'Ada' } }),
  roots: () => [{ uri: 'file:///work' }],
};

/** All that a client sees of a server. */
async function transcript(server: Server, version: ProtocolVersion): Promise<unknown> {
  const client = await connect(server as never, { protocolVersions: [version], handlers });
  closing.push(() => client.close());
  const seen: unknown[] = [client.serverInfo, await client.tools.list().all(), await client.prompts.list().all()];
  seen.push(await client.resources.list().all(), await client.resources.listTemplates().all());
  const call = async (name: string, args = {}, options = {}) =>
    client.tools.call(name, args, options).catch(({ code, message, data }) => ({ code, message, data }));
  seen.push(await call('echo', { text: 'hi' }, { onProgress: (update: unknown) => seen.push(update) }));
  seen.push(await call('echo', { text: 1 }), await call('fail'), await call('nowhere'));
  if (isSince(version, '2025-06-18')) seen.push(await call('greet'));
  seen.push(await client.prompts.get('plan', { city: 'Oslo' }));
  seen.push(await client.complete({ type: 'ref/prompt', name: 'plan' }, { name: 'city', value: '' }));
  for (const uri of ['notes://one', 'notes://days/monday', 'notes://none'])
    seen.push(await client.resources.read(uri).catch(({ code, reason }) => ({ code, reason })));
  return seen;
}

describe.each(protocolVersions as readonly ProtocolVersion[])('Through a source, a client of %s', (version) => {
  it('sees what it sees at the server itself, and each round of a call runs once', async () => {
    const [here, there]: [string[], string[]] = [[], []];
    const direct = await transcript(upstreamServer(here), version);
    const front = await behindFront(upstreamServer(there), { handlers });
    expect(await transcript(front, version)).toEqual(direct);
    expect(there).toEqual(here);
  });
});
