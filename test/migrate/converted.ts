/** Converts one file, beside others, for the tests of `tenon-migrate`. */
import { type MigrateOptions, migrate } from '../../packages/tenon-migrate/src/migrate.ts';

export interface Converted {
  /** The file after the conversion. */
  readonly text: string;
  /** The report on this file: `line:column what`. */
  readonly report: readonly string[];
}

export const v1 = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n";
export const v2 = "import { McpServer } from '@modelcontextprotocol/server';\n";

/** Converts a text as `server.ts`, or under another path, in a project with other files. */
export function convert(
  text: string,
  { path = 'server.ts', others = {}, ...options }: MigrateOptions & ConvertOptions = {},
): Converted {
  const files = Object.entries({ [path]: text, ...others }).map(([name, each]) => ({ path: name, text: each }));
  const { changed, findings, failures } = migrate(files, options);
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join('\n'));
  return {
    text: changed.find((one) => one.path === path)?.text ?? text,
    report: findings.filter((one) => one.path === path).map(({ line, column, what }) => `${line}:${column} ${what}`),
  };
}

interface ConvertOptions {
  readonly path?: string;
  readonly others?: Readonly<Record<string, string>>;
}

/** The text without its imports, and without empty lines around it. */
export const bodyOf = ({ text }: Converted): string => text.replace(/^import .*\n/gm, '').trim();
