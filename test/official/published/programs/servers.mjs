/** Servers from npm whose packages export a function that creates one. */

const fromPackage = async (name, create = ({ createServer }) => createServer()) => {
  const exported = await import(name);
  return () => create(exported);
};

/** Each with the function that creates it. */
export const servers = {
  'budget-allocator': () => fromPackage('@modelcontextprotocol/server-budget-allocator'),
  everything: () =>
    fromPackage(
      '@modelcontextprotocol/server-everything/dist/server/index.js',
      ({ createServer }) => createServer().server,
    ),
  playwright: () =>
    fromPackage('@playwright/mcp', ({ createConnection }) => createConnection({ browser: { isolated: true } })),
  postgrest: () =>
    fromPackage('@supabase/mcp-server-postgrest', ({ createPostgrestMcpServer }) =>
      createPostgrestMcpServer({ apiUrl: 'http://127.0.0.1:9', schema: 'public' }),
    ),
  'system-monitor': () => fromPackage('@modelcontextprotocol/server-system-monitor'),
};
