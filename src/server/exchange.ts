/** The exchange lifecycle on the server: every request introduces its sender, and nothing is remembered. */
import type { Incoming, Outcome } from '../protocol/neutral.ts';
import type { Revision } from '../protocol/revision.ts';
import { revisionIds } from '../protocol/revisions/revisions.ts';
import type { Caller } from './caller.ts';
import type { Registry } from './registry.ts';

export const introducedCaller = (revision: Revision, { introduction }: Incoming): Caller => ({
  revision,
  client: introduction?.client,
  capabilities: introduction?.capabilities ?? {},
  logLevel: introduction?.logLevel,
});

/** What `server/discover` answers. */
export const discovery = ({ capabilities, instructions }: Registry): Outcome => ({
  kind: 'done',
  result: { supportedVersions: [...revisionIds].reverse(), capabilities, ...(instructions && { instructions }) },
});
