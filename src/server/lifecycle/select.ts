/** Chooses the revision of one message. Pure; a refusal is a value. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { shown } from '../../lib/text/shown.ts';
import { errorStatus, type RpcErrorReason, rpcError } from '../../protocol/errors.ts';
import type { Revision } from '../../protocol/revision.ts';
import { assumedSession, newestExchange, newestSession } from '../../protocol/revisions/revisions.ts';
import type { OfferedRevisions } from './offered-revisions.ts';

/** The parts of a message that the choice depends on. */
export interface Arrived {
  readonly method: string;
  /** The revision that the `_meta` of the message names; `undefined` if it names none. */
  readonly claim: unknown;
  /** The params of `initialize`: their `protocolVersion` is the requested revision. */
  readonly params?: unknown;
  /** The revision of its session. */
  readonly session?: Revision | undefined;
  /** The value of the header; `null` if it is missing; absent if the transport has no headers. */
  readonly header?: string | null;
  /** Whether it came in a batch. */
  readonly batch?: boolean;
}

export type Selection =
  | { readonly kind: 'exchange' | 'session' | 'handshake'; readonly revision: Revision }
  /** The refusal is written in the form of `revision`; `status` is its HTTP status. */
  | { readonly kind: 'refused'; readonly revision: Revision; readonly error: RpcError; readonly status: number };

/** `_meta` always wins, even for `initialize`: an invalid version there is an error, and nothing else is tried. */
export function select(offered: OfferedRevisions, arrived: Arrived): Selection {
  const { claim, method, session, header, batch = false } = arrived;
  if (claim !== undefined) return selectClaimed(offered, arrived);
  const named = typeof header === 'string' ? served(offered, header) : undefined;
  if (typeof header === 'string' && named === undefined) return unsupported(offered, newestSession, header);
  if (named?.lifecycle === 'exchange')
    return refused(named, 'invalid-params', 'params._meta must name the protocol version', 400);
  if (method === 'initialize')
    return batch ? outsideBatches(session ?? newestSession) : selectHandshake(offered, arrived.params);
  const own = newestOf(offered, 'session');
  const assumed = header === null ? served(offered, assumedSession.id) : undefined;
  // A ping may come before the handshake.
  const governing = session ?? named ?? assumed ?? (method === 'ping' ? own : undefined);
  if (governing !== undefined)
    return batch && !governing.batches ? noBatch(governing) : { kind: 'session', revision: governing };
  if (own === undefined && header === null)
    return refused(newestExchange, 'header-mismatch', 'The header MCP-Protocol-Version is missing');
  const hint = 'Send initialize first, or name the protocol version in params._meta of every request';
  return refused(own ?? newestExchange, 'invalid-params', hint, 400);
}

function selectClaimed(offered: OfferedRevisions, { claim, header, batch }: Arrived): Selection {
  const errorRevision = newestOf(offered, 'exchange') ?? newestExchange;
  if (typeof claim !== 'string')
    return refused(errorRevision, 'invalid-params', 'The protocol version in params._meta must be a string', 400);
  if (batch) return noBatch(errorRevision);
  if (header === null) return refused(errorRevision, 'header-mismatch', 'The header MCP-Protocol-Version is missing');
  if (header !== undefined && header !== claim) {
    return refused(
      errorRevision,
      'header-mismatch',
      'The protocol version in the header differs from the one in params._meta',
    );
  }
  const revision = served(offered, claim);
  return revision?.lifecycle === 'exchange'
    ? { kind: 'exchange', revision }
    : unsupported(offered, errorRevision, claim);
}

/** The requested revision if it has sessions, else the newest that has: the client decides whether it accepts it. */
function selectHandshake(offered: OfferedRevisions, params: unknown): Selection {
  const requested = (params as { protocolVersion?: unknown } | undefined)?.protocolVersion;
  const chosen = served(offered, requested);
  if (chosen?.lifecycle === 'session') return { kind: 'handshake', revision: chosen };
  const newest = newestOf(offered, 'session');
  if (newest === undefined) return unsupported(offered, newestExchange, requested);
  if (offered.versionMismatch === 'negotiate') return { kind: 'handshake', revision: newest };
  const data = {
    clientVersion: requested,
    serverVersion: newest.id,
    message: `Server requires protocol version ${newest.id}`,
  };
  return {
    ...refused(newest, 'unsupported-protocol-version', 'Protocol version mismatch'),
    error: rpcError('unsupported-protocol-version', 'Protocol version mismatch', data),
  };
}

const served = ({ revisions }: OfferedRevisions, id: unknown): Revision | undefined =>
  revisions.find((known) => known.id === id);

/** Whether a server offers a revision with sessions. */
export const offersSessions = (offered: OfferedRevisions): boolean => newestOf(offered, 'session') !== undefined;

const newestOf = ({ revisions }: OfferedRevisions, lifecycle: Revision['lifecycle']): Revision | undefined =>
  revisions.find((known) => known.lifecycle === lifecycle);

type Refused = Extract<Selection, { kind: 'refused' }>;

const refused = (
  revision: Revision,
  reason: RpcErrorReason,
  text: string,
  status: number = errorStatus(reason),
): Refused => ({
  kind: 'refused',
  revision,
  error: rpcError(reason, text),
  status,
});

const noBatch = (revision: Revision): Refused =>
  refused(revision, 'invalid-request', `Protocol version ${revision.id} has no batches`);

const outsideBatches = (revision: Revision): Refused =>
  refused(revision, 'invalid-request', 'initialize cannot be part of a batch');

function unsupported({ revisions }: OfferedRevisions, errorRevision: Revision, requested: unknown): Refused {
  const text = `Unsupported protocol version: ${shown(typeof requested === 'string' ? requested : JSON.stringify(requested ?? null))}`;
  // A client that names an unknown revision in `_meta` is offered the revisions of that lifecycle, if there are any.
  const alike = revisions.filter(({ lifecycle }) => lifecycle === errorRevision.lifecycle);
  const supported = (alike.length > 0 ? alike : revisions).map(({ id }) => id);
  return {
    ...refused(errorRevision, 'unsupported-protocol-version', text),
    error: rpcError('unsupported-protocol-version', text, { supported, requested }),
  };
}
