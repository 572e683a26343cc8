/** The client that calls, as plain data. A session creates it once, an exchange for every request. */

import type { Principal } from '../../ports/principal.ts';
import type { ClientCapabilities, Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { SourceSession } from './source-session.ts';

export interface CallerInfo {
  readonly revision: Revision;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The minimum level of log messages to the client; none are sent if it is absent. */
  readonly logLevel: LoggingLevel | undefined;
  /** Its session, on a server with a source of features. */
  readonly session?: SourceSession;
}

/** Whether callers can be distinguished: by their principals, or since there is one on this transport. Tasks are listed only then. */
export const knowsItsCaller = (of: {
  readonly principal: Principal | undefined;
  readonly transport?: string | undefined;
}): boolean => of.principal !== undefined || of.transport !== 'tcp';

/** Who sends a notification. */
export interface NotificationSender {
  readonly caller: CallerInfo;
  readonly principal: Principal | undefined;
}
