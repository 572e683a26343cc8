/** A source of features for tests: each caller has the tools that the test names, and loads them when the test lets it. */
import { createServer, type Server } from 'tenon';
import { RpcError } from '../../../src/jsonrpc/errors.ts';
import type { MaybePromise } from '../../../src/lib/values/maybe-promise.ts';
import type { Incoming } from '../../../src/protocol/neutral.ts';
import type { RemoteFeature } from '../../../src/server/features/remote.ts';
import { remoteTool } from '../../../src/server/features/remote.ts';
import { internalsOf } from '../../../src/server/internals.ts';
import { type FeatureSource, withSource } from '../../../src/server/kernel/feature-source.ts';
import type { ServerOptions } from '../../../src/server/options.ts';
import type { SourceCaller } from '../../../src/server/ports/source-caller.ts';
import type { ChangeReceiver } from '../../../src/server/ports/source-session.ts';
import type { Registry } from '../../../src/server/registry/registry.ts';

export { RpcError };

/** A tool that answers with its name. */
export const remote = (name: string, more: Partial<RemoteFeature> = {}): RemoteFeature => ({
  record: { name, inputSchema: { type: 'object' } },
  fingerprint: name,
  forward: () => ({ resultType: 'complete', result: { content: [{ type: 'text', text: name }] } }),
  ...more,
});

export class CallerSource implements FeatureSource {
  /** The tools of a caller. */
  tools: (caller: SourceCaller) => readonly RemoteFeature[] = () => [];
  /** Called before each call. */
  load: (caller: SourceCaller, call: Incoming) => MaybePromise<Incoming | RpcError> = (_caller, call) => call;
  refuseChange: (call: Incoming) => MaybePromise<RpcError | undefined> = () => undefined;
  /** What the source was notified of, in order. */
  readonly events: unknown[] = [];
  readonly receivers: ChangeReceiver[] = [];
  base: () => Registry = () => {
    throw new Error('no server');
  };

  prepare(caller: SourceCaller, call: Incoming): MaybePromise<Incoming | RpcError> {
    return this.load(caller, call);
  }

  registryFor(caller: SourceCaller): Registry {
    const base = this.base();
    const own = this.tools(caller).map(
      (one) => [String(one.record.name), remoteTool(String(one.record.name), one)] as const,
    );
    return { ...base, tools: new Map([...base.tools, ...own]) };
  }

  sessionChanges(_caller: SourceCaller, call: Incoming): MaybePromise<RpcError | undefined> {
    this.events.push([call.method, call.params.uri ?? call.params.level]);
    return this.refuseChange(call);
  }

  listen(_caller: SourceCaller, filter: { readonly resourceSubscriptions?: string[] }, receiver: ChangeReceiver) {
    this.receivers.push(receiver);
    const resources = (filter.resourceSubscriptions ?? []).filter((uri) => uri !== 'notes://refused');
    return { resources, close: () => void this.events.push('closed') };
  }

  rootsChanged({ caller }: SourceCaller): void {
    this.events.push(['roots', caller.client?.name]);
  }

  abandoned(callId: string, reason: unknown): void {
    this.events.push(['abandoned', callId.length, String(reason)]);
  }
}

/** A server with one tool of its own, and a source. */
export function sourced(options: ServerOptions = {}): { readonly server: Server; readonly source: CallerSource } {
  const source = new CallerSource();
  const server = createServer(
    { name: 'front', version: '1.0.0', tools: {}, resources: {} },
    { ...options, ...withSource(source) },
  ) as Server;
  source.base = internalsOf(server).serving.registry;
  return { server, source };
}
