/** The header that names a revision, where no message says what it is for: it has to name one that is served. */
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { HttpRequest, Refused } from '../message.ts';

/** Requests say in their answers what is wrong with it; this is for whatever is no request. */
export function unknownRevision(request: HttpRequest, { revisions }: OfferedRevisions): Refused | undefined {
  const named = request.header('mcp-protocol-version')?.trim();
  if (named === undefined || revisions.some(({ id }) => id === named)) return undefined;
  const known = revisions.map(({ id }) => id).join(', ');
  return { status: 400, text: `The revision in the header MCP-Protocol-Version is not served; these are: ${known}` };
}
