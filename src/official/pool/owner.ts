/** Whose an instance is, and the client that it knows. */
import { canonicalJson, digestOfText } from '../../lib/text/canonical-json.ts';
import type { CallerInfo } from '../../server/ports/caller.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { Introduction } from '../instance/instance.ts';
import type { InstanceOwner } from './instances.ts';

/** A session has its own instance; else a principal has one for each of its clients, which differ in what they support. */
export function ownerOf({ caller, connectionKey: connection, principal }: SourceCaller): InstanceOwner {
  if (caller.session !== undefined) return { connection, key: connection };
  if (connection === undefined && principal === undefined) return { connection, key: undefined };
  const owner = connection ?? `principal ${principal?.key ?? ''}`;
  return { connection, key: `${written(caller).digest} ${owner}` };
}

interface Written {
  readonly caller: CallerInfo;
  readonly text: string;
  readonly digest: string;
}

/** A call needs it several times, one after the other. A WeakMap with a caller for each request costs more than it saves. */
let last: Written | undefined;

function written(caller: CallerInfo): Written {
  if (last?.caller === caller) return last;
  const text = canonicalJson([caller.capabilities, caller.client ?? {}]);
  last = { caller, text, digest: digestOfText(text) };
  return last;
}

/** What a client says about itself. */
export const clientText = (caller: CallerInfo): string => written(caller).text;

export function introductionOf({ capabilities, client }: CallerInfo): Introduction {
  const { elicitation, sampling, roots } = capabilities;
  const supported = Object.entries({ elicitation, sampling, roots }).filter(([, value]) => value !== undefined);
  return { clientInfo: client ?? unknownClient, capabilities: Object.fromEntries(supported) };
}

const unknownClient = { name: 'unknown', version: '0' };
