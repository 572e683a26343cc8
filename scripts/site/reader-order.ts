/** The menu of the site: which pages there are, in the order in which readers need them. */

/** A page by its path in the repository, or a group of pages that is closed at first: its title leads to `home`. */
export type MenuItem = string | { readonly title: string; readonly home: string; readonly pages: readonly string[] };

export interface MenuSection {
  readonly title: string;
  readonly items: readonly MenuItem[];
}

const guide = (...names: readonly string[]): string[] => names.map((name) => `docs/guide/${name}.md`);
const recipes = (...names: readonly string[]): string[] => names.map((name) => `examples/deploy/${name}/README.md`);

/** Pages below them, such as one of each decision, are reached from their table of contents. */
export const menu: readonly MenuSection[] = [
  {
    title: 'Start',
    items: [...guide('quickstart', 'README'), 'docs/before-you-adopt.md', ...guide('official-sdk', 'migrating')],
  },
  {
    title: 'Build a server',
    items: guide(
      'servers',
      'middleware',
      'schemas',
      'elicitation-and-sampling',
      'tasks',
      'stdio',
      'uri-templates',
      'openapi',
      'extensions',
      'input-safety',
      'testing',
      'test-runners',
      'tool-quality',
      'publishing',
    ),
  },
  {
    title: 'Use servers',
    items: guide(
      'clients',
      'reconnecting',
      'server-requests',
      'clients-and-tasks',
      'hosts',
      'consent-and-lock',
      'agents',
      'interrupts',
      'code-mode',
      'tool-context',
      'signing-in',
      'machine-to-machine',
      'captures',
      'contracts',
    ),
  },
  {
    title: 'Run it for a team',
    items: [
      ...guide(
        'http',
        'sessions',
        'fair-shares',
        'which-guard',
        'guarding',
        'protecting-a-server',
        'api-keys-and-opaque-tokens',
        'sign-in-with-a-provider',
        'permissions',
        'approvals',
        'rate-limits',
        'audit',
        'stores',
        'store-contents',
        'scaling',
        'gateway',
        'telemetry',
        'deploying',
        'serverless',
      ),
      {
        title: 'Recipes',
        home: 'docs/guide/deploying.md',
        pages: recipes('systemd-nginx', 'docker', 'kubernetes', 'bun-deno', 'workers', 'lambda', 'next', 'browser'),
      },
      ...guide('bundling-and-runtimes'),
    ],
  },
  {
    title: 'Look up',
    items: [
      ...guide('cli', 'commands', 'commands-to-check', 'inspector'),
      'docs/errors.md',
      ...guide('limits'),
      'docs/revisions.md',
      'docs/dialects.md',
      'docs/connection.md',
      'docs/words.md',
      'docs/security.md',
      'docs/versioning.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Compare',
    items: [
      'docs/comparison.md',
      'docs/performance.md',
      'docs/performance-clients.md',
      'docs/performance-sizes.md',
      'docs/comparison-inspector.md',
      'docs/comparison-cli.md',
    ],
  },
  {
    title: 'Contribute',
    items: [
      'CONTRIBUTING.md',
      'docs/contributing.md',
      'ARCHITECTURE.md',
      'docs/decisions/README.md',
      'docs/known-gaps.md',
      ...guide('writing-a-driver'),
      'docs/checklist.md',
      'bench/README.md',
      'SECURITY.md',
    ],
  },
];
