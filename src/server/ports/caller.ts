/** The client that calls, as plain data. A session fills it once, an exchange anew from every request. */
import type { ClientCapabilities, Implementation, LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { Revision } from '../../protocol/revision.ts';

export interface CallerInfo {
  readonly revision: Revision;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least that is logged to the caller; nothing is where it is absent. */
  readonly logLevel: LoggingLevel | undefined;
  readonly principal: string | undefined;
}
