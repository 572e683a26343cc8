/** Where the tools of a toolkit come from: a host, or one client. */
import type { ToolCallOptions } from '../../client/api/client.ts';
import type { HostTool } from '../../host/lists/lists.ts';
import type { HostRound, HostRoundOptions } from '../../host/round.ts';
import type { CallToolResult, ReadResourceResult } from '../../protocol/generated/types/records.ts';

/** Tools of all servers; those that failed are in `errors`. */
export interface SourceList {
  readonly tools: readonly HostTool[];
  readonly errors: ReadonlyArray<{ readonly server: string; readonly text: string }>;
  /** Whether a later list may have fewer errors, without a change that is reported. */
  readonly mayRecover: boolean;
}

export interface ToolSource {
  /** The user that it was made for. */
  readonly user: string | undefined;
  list(): Promise<SourceList>;
  call(tool: HostTool, args: Record<string, unknown>, options: ToolCallOptions): Promise<CallToolResult>;
  /** Sends one round, which does not wait for people. */
  round(tool: HostTool, args: Record<string, unknown>, options: HostRoundOptions): Promise<HostRound>;
  /** Reads what a result of a server has linked, with all checks of the host. */
  readText(server: string, uri: string): Promise<string>;
  /** How the servers want to be used: those that are connected. */
  instructions(): ReadonlyArray<{ readonly server: string; readonly text: string }>;
  /** Calls `onChange` when tools of a server may have changed, until the returned function is called. */
  observe(onChange: () => void): () => Promise<void>;
}

/** The texts of a resource; other contents are described. */
export const textOfContents = ({ contents }: ReadResourceResult): string =>
  contents.map((one) => ('text' in one ? one.text : `[${one.mimeType ?? 'bytes'}, which has no text]`)).join('\n');
