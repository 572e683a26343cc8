/** Sends the progress of a server request that a handler reports. */
import type { Peer } from '../../jsonrpc/peer.ts';
import type { Incoming } from '../../protocol/neutral.ts';
import { createProgressReporter, type ReportProgress } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';

/** Sends nothing after the request was answered or cancelled. */
export const progressSender = (
  peer: Peer,
  revision: Revision,
  { meta }: Incoming,
  isWaiting: () => boolean,
): ReportProgress =>
  createProgressReporter(meta.progressToken, (notification) => {
    if (!isWaiting()) return;
    const written = revision.wire.writeNotification(revision, 'client', notification);
    if (written.ok) peer.notify(notification.method, written.value);
  });
