/** Which versions of Node this package runs on. An older one fails later, in ways that do not name it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';

const least = [20, 19] as const;

/** One sentence for a version that is too old. Other runtimes say which version they are compatible with, and decide themselves. */
export function nodeProblem({ node, bun, deno }: NodeJS.ProcessVersions): string | undefined {
  if (node === undefined || bun !== undefined || deno !== undefined) return undefined;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isOld = major < least[0] || (major === least[0] && minor < least[1]);
  return isOld ? `Tenon needs Node ${least.join('.')} or newer, and this is Node ${node}.` : undefined;
}

/** Throws for a version that is too old. */
export function checkNode(): void {
  const problem = nodeProblem(process.versions);
  if (problem !== undefined) throw new TenonError('invalid-argument', problem);
}
