/** All revisions, oldest first. An id that is not here is unknown, never "newer". */
import type { Lifecycle, Revision } from '../revision.ts';
import { revision as first } from './2024-11-05/revision.ts';
import { revision as second } from './2025-03-26/revision.ts';
import { revision as third } from './2025-06-18/revision.ts';
import { revision as fourth } from './2025-11-25/revision.ts';
import { revision as fifth } from './2026-07-28/revision.ts';

export const revisions: readonly Revision[] = [first, second, third, fourth, fifth].map((revision) =>
  Object.freeze(revision),
);

/** All protocol versions that Tenon speaks, oldest first. */
export const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
/** A protocol version that Tenon speaks. */
export type ProtocolVersion = (typeof protocolVersions)[number];

/** The id of the newest revision of all. */
export const LATEST_PROTOCOL_VERSION: ProtocolVersion = /* @__PURE__ */ protocolVersions.at(-1) as ProtocolVersion;

const newestWith = (lifecycle: Lifecycle): Revision =>
  revisions.findLast((revision) => revision.lifecycle === lifecycle) as Revision;

/** The newest revision that begins with a handshake. */
export const newestSession: Revision = /* @__PURE__ */ newestWith('session');
/** The newest revision in which every request stands alone. */
export const newestExchange: Revision = /* @__PURE__ */ newestWith('exchange');

/** The session revision that is assumed over HTTP where no header names one. */
export const assumedSession: Revision = second;

const byId: ReadonlyMap<unknown, Revision> = new Map(revisions.map((revision) => [revision.id, revision]));

export const findRevision = (id: unknown): Revision | undefined => byId.get(id);

/** Whether every request stands alone in this protocol version: a server asks in its results, not by requests. */
export const isWithoutSessions = (id: unknown): boolean => findRevision(id)?.lifecycle === 'exchange';
