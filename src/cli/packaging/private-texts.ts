/** Refuses outputs with something private: values of variables, and paths of this machine. */
import { homedir } from 'node:os';
import { isSecretName } from '../../lib/text/secret-names.ts';
import type { DeclaredInput } from './declared-inputs.ts';
import { invalidPackage } from './problems.ts';
import type { PackageSettings } from './settings.ts';

/** Shorter values are in texts by chance, such as `postgres`. */
const leastChars = 12;

/** Throws if a text has the value of a variable that is declared or named like a secret, or the path of the project or home. */
export function refusePrivateTexts(
  outputs: ReadonlyMap<string, string>,
  { folder, env: declared }: Pick<PackageSettings, 'folder' | 'env'>,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const found = [...privateTexts(folder, declared, env)];
  const problems = [...outputs].flatMap(([output, text]) =>
    found.flatMap(([value, name]) => (text.includes(value) ? [`${output} would have ${name}.`] : [])),
  );
  if (problems.length > 0)
    throw invalidPackage(problems, 'Read it when the program runs: nothing private is published.');
}

function* privateTexts(
  folder: string,
  declared: readonly DeclaredInput[],
  env: Readonly<Record<string, string | undefined>>,
): Generator<readonly [value: string, name: string]> {
  const published = new Set(declared.flatMap(({ default: text, choices = [] }) => [text, ...choices]));
  const names = new Set(declared.map(({ name }) => name));
  for (const [name, value = ''] of Object.entries(env))
    if (value.length >= leastChars && !published.has(value) && (names.has(name) || isSecretName(name)))
      yield [value, `the value of the variable ${name}`];
  // `/app`, `/root` and the like could be a path on any machine.
  if (isOwn(folder)) yield [folder, 'the path of the project'];
  const home = homedir();
  if (isOwn(home)) yield [home, 'the path of your home folder'];
}

const isOwn = (path: string): boolean => path.split(/[\\/]/).filter(Boolean).length > 1;
