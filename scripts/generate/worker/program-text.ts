/** The text of `src/code-mode/thread-program.ts`, made of the files in `src/code-mode/worker`. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export const programFile = `${root}src/code-mode/thread-program.ts`;

export async function programText(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/code-mode/worker/main.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    charset: 'utf8',
    logLevel: 'silent',
    tsconfigRaw: {},
  });
  const code = (outputFiles[0]?.text ?? '').replace(/[\\`$]/g, String.raw`\$&`);
  return `/** The program of the thread of one script, generated from worker/: do not edit, run \`npm run generate\`. */\nexport const threadProgram = \`${code}\`;\n`;
}
