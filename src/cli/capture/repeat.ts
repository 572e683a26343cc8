/** Makes the calls of a capture again at the target of a command: for each recorded connection, in its protocol version. */
import { handlersFromCapture } from '../../capture/handlers-from-capture.ts';
import { repeatCalls } from '../../capture/repeat-calls.ts';
import type { RepeatedCall, RepeatOptions } from '../../capture/repeat-options.ts';
import type { RecordedCall } from '../../capture/replay/calls-in-capture.ts';
import { type ProtocolVersion, protocolVersions } from '../../protocol/revisions/revisions.ts';
import type { Given } from '../io/given.ts';
import { withClient } from '../target/open-client.ts';

export async function repeatAt(
  given: Given,
  calls: readonly RecordedCall[],
  options: RepeatOptions,
): Promise<RepeatedCall[]> {
  const repeated: RepeatedCall[] = [];
  for (const own of byConnection(calls)) {
    const version = own[0]?.protocolVersion;
    const isKnown = (protocolVersions as readonly (string | undefined)[]).includes(version);
    const isChosen = given.text('protocol-version') !== undefined;
    const made = await withClient(
      given,
      (client) => repeatCalls(own, client as never, { ...options, signal: given.io.signal }),
      {
        handlers: handlersFromCapture(own),
        ...(isKnown && !isChosen && { protocolVersions: [version as ProtocolVersion] }),
      },
    );
    repeated.push(...made);
  }
  return repeated;
}

/** The calls of each connection. They are read once: a capture may have very many. */
function byConnection(calls: readonly RecordedCall[]): Iterable<RecordedCall[]> {
  const found = new Map<number, RecordedCall[]>();
  for (const call of calls) {
    const own = found.get(call.connection);
    if (own === undefined) found.set(call.connection, [call]);
    else own.push(call);
  }
  return found.values();
}

/** A call as one line: its method, and what it is about. */
export function shownCall({ method, params }: RecordedCall): string {
  const subject = params.name ?? params.uri ?? (params.ref as { readonly name?: unknown } | undefined)?.name;
  const args = JSON.stringify(params.arguments ?? params.argument ?? {});
  return [method, subject, args === '{}' ? undefined : args].filter((part) => part !== undefined).join(' ');
}
