/** The servers whose tools are the catalogue of the search: packages of npm under the MIT licence, which list without an account. */

/** `tuned`: the ranking was tuned on them. `unseen`: it was not; their queries were written before. */
export const servers = {
  tuned: {
    github: { package: '@modelcontextprotocol/server-github' },
    linear: { package: '@tacticlaunch/mcp-linear', env: { LINEAR_API_TOKEN: 'none' } },
    notion: { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'none' } },
    airtable: { package: 'airtable-mcp-server', env: { AIRTABLE_API_KEY: 'none' } },
    kubernetes: { package: 'mcp-server-kubernetes' },
    slack: { package: '@modelcontextprotocol/server-slack', env: { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'none' } },
    browser: { package: '@executeautomation/playwright-mcp-server' },
    trello: { package: '@delorenj/mcp-server-trello', env: { TRELLO_API_KEY: 'none', TRELLO_TOKEN: 'none' } },
  },
  unseen: {
    asana: { package: '@roychri/mcp-server-asana', env: { ASANA_ACCESS_TOKEN: 'none' } },
    hubspot: { package: '@hubspot/mcp-server', env: { PRIVATE_APP_ACCESS_TOKEN: 'none' } },
    maps: { package: '@modelcontextprotocol/server-google-maps', env: { GOOGLE_MAPS_API_KEY: 'none' } },
    firecrawl: { package: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: 'none' } },
    brave: { package: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: 'none' } },
    lark: { package: '@larksuiteoapi/lark-mcp', args: ['mcp', '-a', 'none', '-s', 'none'] },
    docker: { package: 'mcp-server-docker' },
  },
};
