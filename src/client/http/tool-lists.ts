/** Reads lists of tools over HTTP, without tools whose `x-mcp-header` is invalid. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Tool } from '../../protocol/generated/types/records.ts';
import type { MirroredHeaders } from './mirrored-headers.ts';

/** One page of a list, in a response. */
export interface ToolPage {
  /** The answer, without the invalid tools. */
  readonly text: string;
  readonly tools: readonly Tool[];
  readonly nextCursor: unknown;
}

/** Stores the headers of the tools in an answer to `tools/list`. Any other text is returned unchanged. */
export function readToolPage(
  text: string,
  mirroredHeaders: MirroredHeaders,
  warn: (error: TenonError) => void,
): ToolPage {
  const message = parsed(text);
  const result = isRecord(message) ? message.result : undefined;
  if (!isRecord(message) || !isRecord(result) || !Array.isArray(result.tools))
    return { text, tools: [], nextCursor: undefined };
  const tools = result.tools.filter((tool: unknown) => {
    if (!isRecord(tool) || typeof tool.name !== 'string') return true;
    const wrong = mirroredHeaders.admit(tool as unknown as Tool);
    if (wrong !== undefined) warn(leftOut(tool.name, wrong.path, `${wrong.problem}`));
    return wrong === undefined;
  });
  const whole = tools.length === result.tools.length;
  return {
    text: whole ? text : JSON.stringify({ ...message, result: { ...result, tools } }),
    tools,
    nextCursor: result.nextCursor,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const leftOut = (tool: string, path: readonly string[], problem: string): TenonError => {
  const place = ['inputSchema', ...path].join('.');
  return new TenonError('invalid-result', `The tool ${tool} is ignored: ${place}["x-mcp-header"]: ${problem}`, {
    hint: 'The server must fix the schema of the tool.',
    details: { tool, path },
  });
};
