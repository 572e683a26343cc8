/** Prompts and completions of a host: finds the server, asks the policy, and sends the request. */

import { isRecord } from '../../lib/values/is.ts';
import type { CompletionReference } from '../../protocol/generated/types/records.ts';
import type { Host } from '../api.ts';
import { serverNamed, serverOfUri } from '../lists/find-server.ts';
import { nameOf } from '../lists/names.ts';
import { identityOf } from '../lock/identity.ts';
import type { PromptRequest } from '../requests/consent.ts';
import { hooksOf } from '../requests/handlers.ts';
import type { HostServer } from '../servers/host-server.ts';
import { permit } from './permit.ts';
import type { CallPorts } from './ports.ts';
import { permitResource } from './resources.ts';

export function createPrompts(ports: CallPorts): Pick<Host, 'prompts' | 'complete'> {
  const { hostServers, lists } = ports;
  return {
    prompts: {
      list: lists.prompts,
      async get(name, sent = {}, call) {
        const { hostServer, own } = await serverNamed(hostServers, lists.promptNames, lists.prompts, name, 'prompt');
        // A copy, so that the arguments that the policy decided about are the ones that are sent.
        const value = isRecord(sent) ? { ...sent } : sent;
        await ports.stored?.confirm('prompt', hostServer, own);
        const args = await permitPrompt(ports, 'get', hostServer, own, value, call?.signal);
        await ports.gate?.check(hostServer, 'prompt', own);
        return hostServer.use((client) => client.prompts.get(own, args, call));
      },
    },
    async complete(ref, argument, context, call) {
      const { hostServer, own } =
        ref?.type === 'ref/resource'
          ? serverOfUri(hostServers, ref.uri)
          : await serverNamed(hostServers, lists.promptNames, lists.prompts, ref?.name, 'prompt');
      if (ref.type === 'ref/resource') await permitResource(ports, 'complete', hostServer, own, call?.signal);
      else await permitPrompt(ports, 'complete', hostServer, own, {}, call?.signal);
      await ports.gate?.check(hostServer, ref.type === 'ref/resource' ? 'template' : 'prompt', own);
      const ownRef: CompletionReference = ref.type === 'ref/resource' ? { ...ref, uri: own } : { ...ref, name: own };
      return hostServer.use((client) => client.complete(ownRef, argument, context, call));
    },
  };
}

type Arguments = Readonly<Record<string, string>>;

async function permitPrompt(
  ports: CallPorts,
  action: PromptRequest['action'],
  hostServer: HostServer,
  prompt: string,
  value: Arguments,
  signal: AbortSignal | undefined,
): Promise<Arguments> {
  const { prompt: hook } = hooksOf(ports.options);
  const { server } = hostServer;
  const definition = ports.lists.promptNames.item(await nameOf({ server, originalName: prompt }));
  return permit<Arguments>(ports, {
    action,
    target: { server, prompt },
    what: `The prompt ${prompt} of ${server} was not ${action === 'get' ? 'requested' : 'completed'}`,
    kind: 'prompt',
    value,
    signal,
    callHook: hook && ((shown, own) => hook({ server, action, prompt, arguments: shown, signal: own })),
    fits: isArguments,
    subject: { identity: await identityOf(hostServer), name: `${action} ${prompt}`, definition },
    argumentsOf: (args) => args,
  });
}

const isArguments = (value: unknown): value is Arguments =>
  isRecord(value) && Object.values(value).every((one) => typeof one === 'string');
