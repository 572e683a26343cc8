/** What prevents a release, each with the fix. */
import { breakingOf, releasedIn, unreleasedOf } from './changelog.ts';
import { type Comparison, comparisonProblems } from './comparison.ts';

export interface Checkout {
  /** The version to release. */
  readonly version: string;
  /** The version in package.json. */
  readonly present: string;
  readonly changelog: string;
  /** Paths that `git status` lists. */
  readonly changed: readonly string[];
  /** Reports in `api` that differ from the code. */
  readonly outdated: readonly string[];
  /** Lines of the API of the last release that are not there any more, and not announced. */
  readonly unannounced: readonly string[];
  /** The speed beside an older commit. */
  readonly comparison: Comparison;
}

export function releaseProblems(checkout: Checkout): string[] {
  const { version, present, changelog, changed, outdated, unannounced, comparison } = checkout;
  return [
    ...versionProblems(version, present, changelog),
    ...(unreleasedOf(changelog) === '' ? ['CHANGELOG.md has nothing under "Unreleased": write what changed.'] : []),
    ...(changed.length > 0 ? [`The checkout has changes: commit ${changed.slice(0, 3).join(', ')}.`] : []),
    ...outdated.map((name) => `api/${name}.txt is not up to date: npm run api.`),
    ...unannounced.map((line) => `Removed or changed: name it under "Breaking" in CHANGELOG.md: ${line}`),
    ...comparisonProblems(comparison),
  ];
}

function versionProblems(version: string, present: string, changelog: string): string[] {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version))
    return [`${JSON.stringify(version)} is no version: write three numbers, such as 1.2.3.`];
  const [last] = releasedIn(changelog);
  if (last === undefined)
    return version === present ? [] : [`The first release is ${present}, the version in package.json.`];
  const [major = 0, minor = 0, patch = 0] = last.split('.').map(Number);
  const following = [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];
  if (!following.includes(version)) return [`After ${last} comes one of ${following.join(', ')}.`];
  const least = breakingOf(changelog) === '' ? 0 : major === 0 ? 1 : 2;
  if (following.indexOf(version) >= least) return [];
  return [`CHANGELOG.md has entries under "Breaking": the next version is ${following[least]}.`];
}
