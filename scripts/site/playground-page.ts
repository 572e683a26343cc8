/** The page of the playground: what to try in it, and the source of its server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of its sources. Links to it lead to the page. */
export const playgroundSource = 'apps/playground';

export const playgroundPath = 'playground/index.md';

/** What is above the playground. */
export const playgroundPage = (): string => `---
layout: Playground
sidebar: false
title: Playground
editLink: false
---

# Playground

A server and the backend of the [inspector](../guide/inspector.md) in a worker of this page: nothing is installed, and nothing leaves your browser. Two clients are connected to the server, one for each of two protocol versions.

1. **Call a tool**: \`forecast\` is filled in. Run it, and read its messages in the timeline.
2. **Answer a form**: \`book\` asks how many people go, in the middle of the call.
3. **Compare two versions**: run \`book\` with the other client too, then choose Compare above the result.
`;

/** What is below it. */
export const playgroundServer = (root: string): string => {
  const source = readFileSync(join(root, playgroundSource, 'src/server.ts'), 'utf8');
  return `## Its server

This is all of it. The handlers are the same in every protocol version.

\`\`\`ts
${source.replace(/^\/\*\*.*\*\/\n/, '').trim()}
\`\`\`

With Node, \`npx tenon inspect ./server.js\` opens the same page for a server of yours: the [quickstart](../guide/quickstart.md) begins with one.
`;
};
