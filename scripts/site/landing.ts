/** The front page: what Tenon is, a server and its call, the inspector, the command to begin with, and figures. */
import { type Figures, figuresOfFrontPage } from '../docs/figures.ts';

/** Beside the first sentence. `server` is the first of README.md, so that it runs as it is shown. */
export const firstServer = (server: string): string => `\`\`\`ts
${server.trim()}
\`\`\`

\`\`\`text
$ npx tenon call forecast city=Oslo -- node server.js
Sunny in Oslo
\`\`\`
`;

export function landing(figures: Figures): string {
  const shown = figuresOfFrontPage(figures).map(({ value, about, link }) => `- **${value}** ${about} ([how](${link}))`);
  return `---
layout: home
title: Tenon
titleTemplate: MCP for TypeScript
editLink: false
hero:
  name: Tenon
  text: MCP for TypeScript
  tagline: 'Write a server once. Clients of all five protocol versions call it, over stdio and HTTP, and you see every message.'
  actions:
    - { theme: brand, text: Quickstart, link: /guide/quickstart }
    - { theme: alt, text: Try it in the browser, link: /playground/ }
    - { theme: alt, text: Bring your official-SDK server, link: /guide/official-sdk }
features:
  - { title: Build a server, details: 'Tools, resources, prompts, forms for the user, tasks that survive a crash.', link: /guide/servers }
  - { title: Use servers, details: 'Clients that reconnect, hosts with consent, tools for six agent frameworks.', link: /guide/clients }
  - { title: Run it for a team, details: 'Sign-in, permissions, approvals, rate limits, an audit log, several machines.', link: /guide/http }
---

## See every message

\`npx tenon inspect ./server.js\` opens this page, with nothing to set up. A call is edited and sent again, two conversations are compared, and what happened becomes a test. The [playground](./playground/index.md) is the same page with a server in your browser.

![The inspector: a tool with its form and result, and the timeline of messages](./images/inspector-wide-light.png){: .only-light :}
![The inspector in dark mode: a tool with its form and result, and the timeline of messages](./images/inspector-wide-dark.png){: .only-dark :}

## Begin

\`npm create tenon weather\` writes a project with a server that runs, is typed and tested. Tenon is not on npm yet: the [quickstart](./guide/quickstart.md) packs it from a checkout.

## Measured

${shown.join('\n')}
`;
}
