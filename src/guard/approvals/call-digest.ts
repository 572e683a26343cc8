/** Names exactly one call of a tool: who calls what, with which arguments. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { exactJson } from '../../lib/text/exact-json.ts';
import { sha256Hex } from '../../lib/text/hex.ts';

/** What a call is, apart from when it comes and in which session. */
export interface DigestedCall {
  /** The name of the server. */
  readonly server: string;
  /** The key of the principal; empty without one. */
  readonly principal: string;
  readonly tool: string;
  /** The arguments as they were sent, before defaults and conversions. */
  readonly arguments: unknown;
  /** The tool as it is listed: the name alone does not say what it does. */
  readonly definition: object;
}

/** The SHA-256 of a call; `undefined` if JSON cannot represent its arguments exactly. */
export async function callDigest({
  server,
  principal,
  tool,
  arguments: sent,
  definition,
}: DigestedCall): Promise<string | undefined> {
  const text = exactJson(['call 1', server, principal, tool, await sha256Hex(canonicalJson(definition)), sent]);
  return text && sha256Hex(text);
}
