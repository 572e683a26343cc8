/** Commands in the prose and blocks of the guide are ones that exist, with options that they have. */
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/manifest/commands.ts';
import { optionsOf } from '../../src/cli/manifest/target-options.ts';
import { guidePages } from './pages.ts';

/** `tenon COMMAND …`, alone or after npx, in a code span or at the start of a line; what is behind ` -- ` is another program. */
const written = /(?:`|^\s*(?:npx )?)(?:npx )?tenon ([a-z][a-z-]*)([^`\n]*)/gm;

const used = guidePages().flatMap(({ path, markdown }) =>
  [...markdown.matchAll(written)].map(([, name = '', rest = '']) => ({
    path,
    name,
    options: [...(rest.split(/ -- | #/)[0] ?? '').matchAll(/ --([a-z][a-z-]*)/g)].map(([, option = '']) => option),
  })),
);

it('commands of the guide have the options that they are written with', () => {
  expect(used.flatMap(({ options }) => options).length).toBeGreaterThan(50);
  const wrong = used.flatMap(({ path, name, options }) => {
    const spec = commands.find((one) => one.name === name);
    if (spec === undefined) return [`${path}: tenon ${name}`];
    return options.flatMap((option) =>
      Object.hasOwn(optionsOf(spec), option) ? [] : [`${path}: tenon ${name} --${option}`],
    );
  });
  expect(wrong).toEqual([]);
});
