/** What the doctor does for a target: phases in order, each of which passes one or several steps of connecting. */

import type { Client } from '../../../client/api/client.ts';
import type { ConnectStep } from '../../../lib/errors/connect-steps.ts';
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Target } from '../../../node/connect.ts';
import type { TapEvent } from '../../../transport/tap.ts';
import type { Io } from '../../io/io.ts';
import { count } from '../../output/count.ts';
import { type ReadConnection, usingClient } from '../../target/open-client.ts';
import { probes } from './network-probes.ts';

/** What was found in the steps that passed. */
export type Findings = Partial<Record<ConnectStep, string>>;

export interface Phase {
  readonly steps: readonly ConnectStep[];
  run(): Promise<Findings>;
}

/** After the target was read. */
export function phasesFor(connection: ReadConnection, io: Io, warnings: string[]): readonly Phase[] {
  const { target } = connection;
  const url = urlOf(target);
  if (url !== undefined) {
    const tls = url.protocol === 'https:' ? (['tls'] as const) : [];
    return [
      ...(['resolve', 'connect', ...tls] as const).map((step) => probe(step, url, io)),
      connecting(['endpoint', 'authorize', 'negotiate', 'capabilities'], connection, io, warnings),
    ];
  }
  const start = isCommand(target) ? (['start'] as const) : [];
  return [connecting([...start, 'negotiate', 'capabilities'], connection, io, warnings)];
}

export function urlOf(target: Target): URL | undefined {
  if (typeof target === 'string' || target instanceof URL) return new URL(target);
  return 'url' in target ? new URL(target.url as string | URL) : undefined;
}

const isCommand = (target: Target): boolean => typeof target === 'object' && 'command' in target;

/** Skipped behind a proxy: this machine may not know the host of the server. */
function probe(step: 'resolve' | 'connect' | 'tls', url: URL, { env }: Io): Phase {
  const proxy = proxyVariables.find((name) => (env[name] ?? '') !== '');
  const run = async (): Promise<Findings> => {
    if (proxy !== undefined) return { [step]: `not checked alone, because ${proxy} is set` };
    try {
      return { [step]: await probes[step](url) };
    } catch (error) {
      if ((error as TenonError).step === step) throw error;
      // connect() will report it at the right step.
      return { [step]: 'could not be checked alone' };
    }
  };
  return { steps: [step], run };
}

const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Connects as every command does, and lists what the server offers. */
function connecting(steps: readonly ConnectStep[], connection: ReadConnection, io: Io, warnings: string[]): Phase {
  const seen: TapEvent[] = [];
  const run = (): Promise<Findings> =>
    usingClient(
      io,
      connection,
      async (client) => ({ ...connectionFindings(client, seen), capabilities: await offered(client) }),
      {
        tap: (event) => void seen.push(event),
        onWarning: ({ message }) => void warnings.push(message),
      },
    );
  return { steps, run };
}

function connectionFindings({ protocolVersion, serverInfo }: Client, seen: readonly TapEvent[]): Findings {
  const requests = seen.filter((event) => event.kind === 'http');
  const hasToken = requests.some(({ headers }) => headers?.authorization !== undefined);
  const status = requests.findLast(({ phase }) => phase === 'head')?.status;
  return {
    start: 'runs',
    endpoint: `answers with status ${status}`,
    authorize: hasToken ? 'the credentials were accepted' : 'no credentials are needed to connect',
    negotiate:
      `${protocolVersion}, ${serverInfo?.name ?? 'a server without a name'} ${serverInfo?.version ?? ''}`.trim(),
  };
}

/** A server that declares something and cannot list it is broken for every client. */
async function offered(client: Client): Promise<string> {
  const { tools, resources, prompts } = client.capabilities;
  const counted = [
    tools && count((await client.tools.list().all()).length, 'tool'),
    resources && count((await client.resources.list().all()).length, 'resource'),
    prompts && count((await client.prompts.list().all()).length, 'prompt'),
  ].filter((text) => text !== undefined);
  return counted.join(', ') || 'nothing is declared';
}
