/** Protocol versions by their order, for tests of what one of them has introduced. */
import {
  isWithoutSessions,
  LATEST_PROTOCOL_VERSION,
  newestExchange,
  type ProtocolVersion,
  protocolVersions,
} from '../../src/protocol/revisions/revisions.ts';

/** Whether connections of a protocol version begin with a handshake. */
export const isSession = (version: string): boolean => !isWithoutSessions(version);

/** The protocol versions that begin with a handshake. */
export const sessionVersions: readonly ProtocolVersion[] = protocolVersions.filter(isSession);

/** The newest one without a handshake. */
export const exchangeVersion = newestExchange.id as ProtocolVersion;

const placeOf = (version: string): number => (protocolVersions as readonly string[]).indexOf(version);

/** Whether a protocol version is `first`, or newer. */
export const isSince = (version: string, first: ProtocolVersion): boolean => placeOf(version) >= placeOf(first);

/** The protocol versions from one to another, both included. */
export const versionsFrom = (first: ProtocolVersion, last = LATEST_PROTOCOL_VERSION): ProtocolVersion[] =>
  protocolVersions.filter((version) => isSince(version, first) && isSince(last, version));
