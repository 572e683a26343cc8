/** The files of a recipe, shown below its text: a reader of the site has no checkout to copy them from. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const languages: Readonly<Record<string, string>> = {
  '.ts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
  '.jsonc': 'jsonc',
  '.yaml': 'yaml',
  '.conf': 'nginx',
  '.service': 'ini',
  '.html': 'html',
  '.css': 'css',
};

/** Generated ones are long, and say nothing that a reader changes. */
const isShown = (name: string): boolean => !/README\.md$|\.d\.ts$|node_modules|package-lock/.test(name);

export function recipeFiles(root: string, folder: string): string {
  const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1))
    .filter(isShown)
    .sort();
  const blocks = names.map((name) => {
    const language = name.endsWith('Dockerfile') ? 'docker' : (languages[extname(name)] ?? 'text');
    return `### ${name}\n\n\`\`\`${language}\n${readFileSync(join(root, folder, name), 'utf8').trimEnd()}\n\`\`\`\n`;
  });
  return `\n## Files\n\n${blocks.join('\n')}`;
}
