/** The calls of a capture that a client can make again, with the results they had. */
import { isRecord } from '../../protocol/model/primitives.ts';
import type { Fields } from '../../protocol/neutral.ts';
import type { ReadCapture } from '../read-capture.ts';
import { connectionsIn, exchangesIn, type RecordedExchange } from './recorded-exchanges.ts';

/** A call with its recorded outcome. */
export interface RecordedCall {
  /** The number of its connection in the capture. */
  readonly connection: number;
  /** The protocol version of its connection, if the capture says it. */
  readonly protocolVersion?: string;
  /** The method, such as `tools/call`. */
  readonly method: string;
  /** The params, without `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The result. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** The error. */
  readonly error?: Readonly<Record<string, unknown>>;
}

/** Methods that read or call something; those about a connection are sent by every client itself. */
const repeatable: ReadonlySet<string> = new Set([
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/** All calls of a capture that have an outcome. */
export function recordedCalls({ events }: ReadCapture): RecordedCall[] {
  return connectionsIn(events).flatMap((connection) => {
    const exchanges = exchangesIn(events, connection);
    const protocolVersion = versionOf(exchanges);
    return exchanges
      .filter(({ method, response }) => repeatable.has(method) && response !== undefined)
      .map(({ method, params, response }) => ({
        connection,
        ...(protocolVersion === undefined ? {} : { protocolVersion }),
        method,
        params: withoutMeta(params),
        ...outcomeIn(response),
      }));
  });
}

const withoutMeta = ({ _meta, ...params }: Fields): Fields => params;

function outcomeIn(response: Fields = {}): Pick<RecordedCall, 'result' | 'error'> {
  if (isRecord(response.error)) return { error: response.error };
  return isRecord(response.result) ? { result: response.result } : {};
}

/** Of the handshake, or of the first request that stands alone. */
function versionOf(exchanges: readonly RecordedExchange[]): string | undefined {
  for (const { method, params, response } of exchanges) {
    const result = isRecord(response?.result) ? response.result : {};
    if (method === 'initialize' && typeof result.protocolVersion === 'string') return result.protocolVersion;
    const meta = isRecord(params._meta) ? params._meta : {};
    const version = meta['io.modelcontextprotocol/protocolVersion'];
    if (typeof version === 'string') return version;
  }
  return undefined;
}
