/** Makes files of `dist` smaller that are, but for a little, packages of others: their lines are in no stack trace that a user reads. */
import { transform } from 'esbuild';

/** What of its modules may be ours. */
const ownShare = 0.3;

interface Output {
  code?: string;
  readonly fileName: string;
  readonly moduleIds?: readonly string[];
}

/** A plugin of the bundler. */
export const smallPackages = {
  name: 'small-packages',
  async generateBundle(_options: unknown, bundle: Record<string, Output>): Promise<void> {
    for (const output of Object.values(bundle)) {
      const { code, fileName, moduleIds = [] } = output;
      const own = moduleIds.filter((id) => !id.includes('/node_modules/')).length;
      if (code === undefined || !fileName.endsWith('.js') || own >= moduleIds.length * ownShare) continue;
      output.code = (await transform(code, { minify: true, format: 'esm', legalComments: 'inline' })).code;
    }
  },
};
