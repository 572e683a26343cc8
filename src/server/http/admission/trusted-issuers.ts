/** The issuers whose users an endpoint admits, as the metadata of its protected resource names them, for its guard. */
import { isRecord } from '../../../lib/values/is.ts';
import type { ServerGuard } from '../../../ports/guard.ts';
import type { PublicDocument } from '../../ports/authenticate.ts';
import type { Warn } from '../reporting/warnings.ts';

interface Authenticating {
  readonly documents?: readonly PublicDocument[];
}

/** Throws if the guard cannot distinguish users of several issuers. */
export function checkIssuers(
  authenticate: Authenticating | undefined,
  guard: ServerGuard | undefined,
  warn: Warn,
): void {
  if (authenticate === undefined) return;
  const warning = guard?.checkIssuers?.((authenticate.documents ?? []).flatMap(issuersIn));
  if (warning !== undefined) warn(warning);
}

function issuersIn({ content }: PublicDocument): readonly string[] {
  const issuers: unknown = isRecord(content) ? content.authorization_servers : undefined;
  return Array.isArray(issuers) ? issuers : [];
}
