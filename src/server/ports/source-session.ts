/** A session, as a source of features uses it for what belongs to none of its calls. */

import type { InputRequest } from '../../protocol/neutral.ts';
import type { Change } from './change-notifications.ts';

/** One session, or one subscription. Its client is notified of changes that it receives as of those of the server. */
export interface ChangeReceiver {
  changed(change: Change): void;
}

/** A session. */
export interface SourceSession extends ChangeReceiver {
  /** Nothing follows it any more: what begins to would never be stopped. */
  readonly isEnded: boolean;
  /** The resources that it subscribes to. */
  readonly subscribed: ReadonlySet<string>;
  /** Sends its client a request, and resolves with the result. Rejects where the client does not support it or does not answer. */
  sendRequest(request: InputRequest, signal: AbortSignal): Promise<unknown>;
}
