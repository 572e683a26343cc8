/** Why a request was cancelled: as it is sent in `notifications/cancelled`, and as the other side gets it. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import { escapeControls } from '../lib/text/control-characters.ts';

/**
 * Characters of the reason of a cancellation.
 * @limit messages
 * @beyond the rest is cut off
 */
const maxReasonChars = 500;

const cut = (text: string): string => (text.length > maxReasonChars ? `${text.slice(0, maxReasonChars - 1)}…` : text);

/** The reason of an abandoned request, for the other side: what was passed to `abort()`, or else the code of the error. */
export function sentReason({ code, cause }: TenonError): string {
  const reasonText = code === 'cancelled' ? textOf(cause) : undefined;
  return reasonText === undefined || reasonText === '' ? code : cut(reasonText);
}

function textOf(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason;
  if (!(reason instanceof Error)) return undefined;
  // A cancellation that is passed on keeps its reason. The hints of other errors are for this side.
  if (reason instanceof TenonError) return reasonOf(reason) ?? reason.code;
  // `abort()` without a reason.
  return reason.name === 'AbortError' ? undefined : reason.message;
}

const reasonOf = ({ code, details }: TenonError): string | undefined =>
  code === 'cancelled' && typeof details.reason === 'string' ? details.reason : undefined;

/** The `signal.reason` of a handler whose request the other side has cancelled. */
export function cancelledBy(side: 'client' | 'server', reason: unknown): TenonError {
  if (typeof reason !== 'string' || reason === '')
    return new TenonError('cancelled', `The ${side} cancelled the request.`);
  // The reason may be logged, so it is escaped. Escaping makes it longer, so it is cut again.
  const reasonText = cut(escapeControls(cut(reason)));
  return new TenonError('cancelled', `The ${side} cancelled the request: ${reasonText}`, {
    details: { reason: reasonText },
  });
}
