/** Reads and writes CHANGELOG.md: `## Unreleased`, then a section for each version, newest first. */

const heading = '## Unreleased\n';

/** The released versions, newest first. */
export const releasedIn = (changelog: string): readonly string[] =>
  [...changelog.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, version = '']) => version);

/** What is not released yet. */
export function unreleasedOf(changelog: string): string {
  const [, after = ''] = changelog.split(heading);
  return (after.split(/^## /m)[0] ?? '').trim();
}

/** The entries under `**Breaking**` that are not released yet. */
export function breakingOf(changelog: string): string {
  const [, after = ''] = unreleasedOf(changelog).split('**Breaking**\n');
  return (after.split(/^\*\*/m)[0] ?? '').trim();
}

/** The changelog after a release. `date` is in the form of ISO 8601. */
export const withRelease = (changelog: string, version: string, date: string): string =>
  changelog.replace(heading, `${heading}\n## ${version} (${date})\n`);
