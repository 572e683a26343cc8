/** The header `MCP-Protocol-Version` has to name a version that is served. */
import type { OfferedRevisions } from '../../lifecycle/offered-revisions.ts';
import type { HttpRequest, Refused } from '../message.ts';

/** For everything but JSON-RPC requests: those get a JSON-RPC error. */
export function unknownRevision(request: HttpRequest, { revisions }: OfferedRevisions): Refused | undefined {
  const named = request.header('mcp-protocol-version')?.trim();
  if (named === undefined || revisions.some(({ id }) => id === named)) return undefined;
  const known = revisions.map(({ id }) => id).join(', ');
  return {
    status: 400,
    text: `The protocol version in the header MCP-Protocol-Version is not supported; supported versions: ${known}`,
  };
}
