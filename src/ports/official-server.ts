/** Recognises a server of the official MCP SDK where one of ours is expected. */

/** Whether it is an `McpServer` or a `Server` of either version of the official SDK, as far as its methods show. */
export const isOfficialServer = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && hasMethod(value, 'connect') && hasMethod(value, 'close');

const hasMethod = (value: object, name: 'connect' | 'close'): boolean =>
  typeof (value as { readonly [name]?: unknown })[name] === 'function';

/** What to do about it. */
export const officialHint =
  "Pass await fromOfficial(() => …) of 'tenon/official', with a function that creates your server.";

/** What an argument must be that should be a server. */
export const serverExpected = (given: unknown, more = ''): string =>
  isOfficialServer(given)
    ? `be a Tenon server; pass await fromOfficial(() => …) of 'tenon/official'${more}`
    : `be the result of createServer()${more}`;
